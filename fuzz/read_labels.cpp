// Reading judgments: whole and in pieces, under every rule for labels, must agree with a literal twin.
#include "check.hpp"
#include "slow.hpp"

using namespace poolwise;

namespace {

struct Outcome {
    std::unique_ptr<Pool> pool;
    Problem problem;
    std::uint64_t blank = 0;
};

Outcome read(std::string_view text, const LabelRules& rules, std::size_t longest, const fuzz::Choices& choices) {
    Outcome outcome{std::make_unique<Pool>(true), {}, 0};
    LabelReader reader(*outcome.pool, rules);
    Lines lines;
    outcome.problem = fuzz::feed(lines, reader, text, longest, choices);
    outcome.blank = lines.blank();
    if (!outcome.problem) outcome.pool->finish_judgments();
    return outcome;
}

bool is_pooled(const slow::Row& row, const LabelRules& rules) {
    const bool whole = row.value == std::floor(row.value);
    return row.unjudged || (whole && rules.reserve_one && row.label == rules.reserved) ||
           (rules.reserve_negative && row.value < 0);
}

void check_topic(const Pool& pool, std::uint32_t number, const std::map<std::string, slow::Row>& rows,
                 const LabelRules& rules) {
    const Topic& topic = *pool.topics[number];
    CHECK(topic.listed == rows.size() && topic.labels.size() == rows.size());
    CHECK(pool.offsets[number + 1] - pool.offsets[number] == rows.size());
    CHECK(topic.strata.size() == (pool.has_strata ? rows.size() : 0) && topic.rounds.size() == topic.strata.size());
    std::uint32_t document = 0;
    for (const auto& [name, row] : rows) {  // a map is in byte-wise order, as the pool is
        CHECK(topic.documents[document] == name && topic.documents.find(name) == document);
        CHECK(topic.filter.may_hold(hash_name(Names::padded(name).data(), name.size())));
        const std::int32_t label = topic.labels[document];
        CHECK((label == pooled) == is_pooled(row, rules));
        if (label != pooled) CHECK((pool.label_values.empty() ? label : pool.label_values[label]) == row.value);
        if (pool.has_strata) CHECK(topic.strata[document] == row.stratum && topic.rounds[document] == row.round);
        if (topic.labels[document] != pooled)
            CHECK(std::binary_search(pool.distinct_labels.begin(), pool.distinct_labels.end(), topic.labels[document]));
        ++document;
    }
}

void check(const Outcome& outcome, const slow::Labels& twin, const LabelRules& rules) {
    const Pool& pool = *outcome.pool;
    CHECK(outcome.problem.fault == twin.fail.fault && outcome.problem.line == twin.fail.line);
    if (outcome.problem) return;
    CHECK(outcome.blank == twin.blank && pool.label_lines == twin.lines);
    CHECK(pool.label_duplicates == twin.duplicates && pool.has_strata == (twin.columns == 5));
    CHECK(pool.topics.size() == twin.topics.size());
    for (std::uint32_t t = 0; t < pool.topics.size(); ++t) {
        const auto found = twin.topics.find(std::string(pool.topic_names[t]));
        CHECK(found != twin.topics.end());
        check_topic(pool, t, found->second, rules);
        if (t > 0) CHECK(topic_before(pool.topic_names[t - 1], pool.topic_names[t]));
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    fuzz::Choices choices(text);
    const std::int32_t reserved[] = {-1, 0, 2, -2, 2147483647, -2147483646};
    const std::size_t longest = 1 + choices.below(choices.coin() ? 8 : 600);
    for (const bool keep_first : {false, true}) {
        for (const LabelRules& rules :
             {LabelRules{true, reserved[choices.below(6)], false, keep_first}, LabelRules{false, 0, true, keep_first},
              LabelRules{false, 0, false, keep_first}}) {
            const slow::Labels twin = slow::read_labels(text, keep_first, rules.reserve_negative);
            check(read(text, rules, 0, choices), twin, rules);
            check(read(text, rules, longest, choices), twin, rules);
        }
    }
    return 0;
}
