// The set of names under forced collisions: hashes are cut to a few bits, as no file could do it.
#include <map>

#include "check.hpp"

using namespace poolwise;

namespace {

void check_all(const Names& names, const std::map<std::string, std::uint32_t>& twin, std::uint64_t bits) {
    CHECK(names.size() == twin.size());
    for (const auto& [name, number] : twin) {
        const std::string padded = Names::padded(name);
        CHECK(names[number] == name);
        CHECK(names.find(hash_name(padded.data(), name.size()) & bits, {padded.data(), name.size()}) == number);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    fuzz::Choices choices(text);
    const std::uint64_t bits = choices.coin() ? choices.below(8) : ~0ULL << choices.below(64);
    Names names;
    std::map<std::string, std::uint32_t> twin;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        const std::string name = text.substr(begin, end - begin);
        const std::string padded = Names::padded(name);
        const std::uint64_t hash = hash_name(padded.data(), name.size()) & bits;
        names.prefetch_slot(hash);
        names.prefetch_bytes(hash);
        const std::uint32_t number = names.insert(hash, {padded.data(), name.size()});
        CHECK(number == twin.insert({name, static_cast<std::uint32_t>(twin.size())}).first->second);
        begin = end + 1;
    }
    check_all(names, twin, bits);
    Filter filter;
    filter.fill(names);
    names.each_hash([&](std::uint64_t hash) { CHECK(filter.may_hold(hash)); });
    const std::uint32_t from = names.size() == 0 ? 0 : choices.below(names.size());
    const std::vector<std::uint32_t> now = names.sort(from);
    if (!now.empty())
        for (auto& [name, number] : twin) number = now[number];
    check_all(names, twin, bits);
    for (std::uint32_t i = from + 1; i < names.size(); ++i) CHECK(names[i - 1] < names[i]);
    return 0;
}
