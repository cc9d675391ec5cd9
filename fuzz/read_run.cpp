// Reading a run: whole and in pieces, plain and gathering, with all documents and with judged ones only, must all
// agree with each other and with a literal twin.
#include "check.hpp"
#include "slow.hpp"

using namespace poolwise;

namespace {

struct Outcome {
    std::unique_ptr<Pool> pool;
    Problem problem;
    std::uint64_t blank = 0;

    const Run& run() const { return pool->runs[0]; }
};

// `again` reads a run whose topics are scattered a second time into the same pool, as the library does.
enum class Mode { plain, gather, again };

struct Options {
    bool keep_all, keep_first;
    Mode mode;
    std::uint32_t depth;
    bool nan_last;

    bool is_cut() const { return depth < std::numeric_limits<std::uint32_t>::max(); }
    bool gathers() const { return mode == Mode::gather || (keep_all && is_cut()); }
};

Outcome read(std::string_view text, const Options& options, std::size_t longest, const fuzz::Choices& choices) {
    Outcome outcome{std::make_unique<Pool>(options.keep_all), {}, 0};
    outcome.pool->depth = options.depth;
    outcome.pool->nan_last = options.nan_last;
    // Judgments know some of the documents and topics that the seeds use.
    if (!options.keep_all) {
        LabelReader labels(*outcome.pool, {});
        Lines lines;
        const std::string_view known = "1 0 d1 1\n1 0 d2 0\n2 0 d1 2\n301 0 a 1\n301 0 FT911-3 -1\n";
        CHECK(!lines.feed(labels, known.data(), known.size(), true));
        outcome.pool->finish_judgments();
    }
    outcome.pool->runs.resize(1);
    Lines lines;
    const auto once = [&](bool gather) {
        outcome.pool->runs[0] = Run{};
        RunReader reader(*outcome.pool, outcome.pool->runs[0], options.keep_first, gather);
        outcome.problem = fuzz::feed(lines, reader, text, longest, choices);
    };
    once(options.mode == Mode::gather);
    if (options.mode == Mode::again && outcome.problem.fault == Fault::scattered) once(true);
    outcome.blank = lines.blank();
    if (!outcome.problem) outcome.pool->finish_runs();
    return outcome;
}

void check_same(const Outcome& a, const Outcome& b) {
    CHECK(fuzz::same_problem(a.problem, b.problem));
    if (a.problem) return;
    const Run &first = a.run(), &second = b.run();
    CHECK(a.blank == b.blank);
    CHECK(first.rank == second.rank && first.document == second.document && first.all == second.all);
    CHECK(first.list_of_topic == second.list_of_topic && first.lists.size() == second.lists.size());
    CHECK(first.lines == second.lines && first.ties == second.ties && first.duplicates == second.duplicates);
    CHECK(first.ignored_lines == second.ignored_lines && first.ignored_topics == second.ignored_topics);
    CHECK(first.comments == second.comments && first.longer == second.longer && first.nan == second.nan);
    CHECK(a.pool->topics.size() == b.pool->topics.size());
    for (std::uint32_t t = 0; t < a.pool->topics.size(); ++t) {
        const Names &x = a.pool->topics[t]->documents, &y = b.pool->topics[t]->documents;
        CHECK(a.pool->topic_names[t] == b.pool->topic_names[t] && x.size() == y.size());
        for (std::uint32_t d = 0; d < x.size(); ++d) CHECK(x[d] == y[d]);
    }
}

// What went wrong, against the twin.
void check_problem(const Problem& problem, const slow::Run& twin, const Options& options) {
    const bool repeats = twin.duplicate.fault != Fault::none && !options.keep_first;
    if (problem.fault == Fault::scattered) {
        // Repeated documents are looked at again, too, where it matters whether they lie below the cut.
        CHECK(twin.scattered || (options.is_cut() && !options.keep_first));
        CHECK(options.mode == Mode::plain && !options.gathers());
    } else if (problem.fault == Fault::duplicate) {
        CHECK(repeats);
        if (options.gathers()) CHECK(problem.line == twin.duplicate.line);
    } else if (problem) {
        CHECK(problem.fault == twin.bad_line.fault && problem.line == twin.bad_line.line);
    } else {
        CHECK(twin.bad_line.fault == Fault::none && !repeats &&
              (options.gathers() || options.mode == Mode::again || !twin.scattered));
    }
    if (options.gathers() && twin.bad_line.fault != Fault::none) CHECK(problem.line == twin.bad_line.line);
}

void check_rankings(const Outcome& outcome, const slow::Run& twin, const Options& options) {
    const Pool& pool = *outcome.pool;
    CHECK(outcome.run().lines == twin.lines && outcome.blank == twin.blank);
    std::size_t topics = 0, retrieved = 0;
    for (const auto& [topic, ranking] : twin.rankings) {
        const std::uint32_t number = pool.topic_names.find(topic);
        if (number == Names::none) {
            CHECK(pool.has_judgments);
            continue;
        }
        ++topics;
        const Names& documents = pool.topics[number]->documents;
        const List* const list = outcome.run().list(number);
        const std::size_t depth = std::min<std::size_t>(ranking.size(), options.depth);
        retrieved += depth;
        CHECK(list != nullptr && list->retrieved == depth);
        std::size_t known = list->known_begin;
        for (std::size_t i = 0; i < depth; ++i) {
            const std::uint32_t document = documents.find(ranking[i]);
            if (options.keep_all) CHECK(outcome.run().all[list->all_begin + i] == document);
            if (document >= pool.topics[number]->listed) continue;
            CHECK(outcome.run().rank[known] == i + 1 && outcome.run().document[known] == document);
            ++known;
        }
        CHECK(known == list->known_begin + list->known);
        // No document that nothing retrieved and no judgment lists.
        CHECK(documents.size() == (options.keep_all ? depth : pool.topics[number]->listed));
    }
    CHECK(outcome.run().lists.size() == topics);
    CHECK(!options.keep_all || outcome.run().all.size() == retrieved);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    kind_of(text.data(), text.size());
    fuzz::Choices choices(text);
    const bool keep_first = choices.coin(), nan_last = choices.coin();
    const std::uint32_t depth = choices.coin() ? 1 + choices.below(4) : std::numeric_limits<std::uint32_t>::max();
    const slow::Run twin = slow::read_run(text, keep_first, nan_last, depth < 5 ? depth : 0);
    const std::size_t longest = 1 + choices.below(choices.coin() ? 8 : 600);
    for (const bool keep_all : {false, true})
        for (const Mode mode : {Mode::plain, Mode::gather, Mode::again}) {
            const Options options{keep_all, keep_first, mode, depth, nan_last};
            const Outcome whole = read(text, options, 0, choices);
            check_same(whole, read(text, options, longest, choices));
            check_problem(whole.problem, twin, options);
            if (!whole.problem) check_rankings(whole, twin, options);
        }
    return 0;
}
