// Files of text, fed to readers of judgments and runs.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "basics/front.hpp"
#include "label_reader.hpp"
#include "run_reader.hpp"

namespace poolwise {

// The kind of a file by its first bytes; empty for text.
inline std::string kind_of(const char* bytes, std::size_t size) {
    const auto starts = [&](std::string_view magic) {
        return size >= magic.size() && std::memcmp(bytes, magic.data(), magic.size()) == 0;
    };
    if (starts("\x1F\x8B")) return "gz";
    if (starts(std::string_view("\xFD"
                                "7zXZ\0",
                                6)))
        return "xz";
    // The bytes after BZh9 begin a block, or end a file without any.
    if (starts("BZh") && size >= 10)
        for (const char* block : {"1AY&SY", "\x17\x72\x45\x38\x50\x90"})
            if (std::memcmp(bytes + 4, block, 6) == 0) return "bz2";
    if (starts("\x04\x22\x4D\x18")) return "lz4";
    // A frame, or one to be skipped, with which files of pzstd begin.
    if (starts("\x28\xB5\x2F\xFD")) return "zst";
    if (size > 3 && (bytes[0] & 0xF0) == 0x50 && std::memcmp(bytes + 1, "\x2A\x4D\x18", 3) == 0) return "zst";
    // A topic may be called PAR1; Parquet's next byte is a control character.
    if (starts("PAR1") && size > 4 && static_cast<unsigned char>(bytes[4]) < ' ' && !is_space(bytes[4]))
        return "parquet";
    // Labels as they were given: `poolwise judge` keeps them in such a file.
    if (starts(std::string_view("SQLite format 3\0", 16))) return "sqlite";
    return "";
}

// Closes a file, whatever happens.
struct Opened {
    const int file;
    ~Opened() { ::close(file); }
};

// Feeds a file to a reader in pieces, so that memory does not grow with the file.
template <class Reader>
Problem read_file(const std::string& path, Reader& reader, Lines& lines, Stopper& stop) {
    constexpr std::size_t piece = 1 << 17;  // larger ones would leave the cache before they are read
    lines.restart();
    struct ::stat status;
    if (::stat(path.c_str(), &status) == 0 &&
        (S_ISFIFO(status.st_mode) || S_ISCHR(status.st_mode) || S_ISSOCK(status.st_mode)))
        return {Fault::compressed, 0, "stream"};
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return {Fault::unreadable, 0, std::strerror(errno)};
    Problem problem;
    const Opened closing{file};  // also when reading is stopped
    for (bool first = true, last = false; !last && !problem; first = false) {
        stop();
        char* const at = lines.reserve(piece);
        std::size_t count = 0;
        while (count < piece) {
            const ::ssize_t got = ::read(file, at + count, piece - count);
            if (got < 0 && errno == EINTR) continue;
            if (got < 0) problem = {Fault::unreadable, 0, std::strerror(errno)};
            if (got <= 0) break;
            count += static_cast<std::size_t>(got);
        }
        last = count < piece;
        if (first && !problem)
            if (std::string kind = kind_of(at, count); !kind.empty()) problem = {Fault::compressed, 0, kind};
        if (!problem) problem = lines.fed(reader, count, last);
    }
    return problem;
}

}  // namespace poolwise
