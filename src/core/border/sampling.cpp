// Sampling labels.
#include "border.hpp"
#include "sampling/front.hpp"

namespace poolwise {
namespace {

using Counts = nb::ndarray<const std::int64_t, nb::ndim<3>, nb::c_contig, nb::device::cpu>;  // sets x topics x classes

// Labels of samples: trials x sets x listed documents.
View<std::int32_t, 3> draw(const Pool& pool, Labels labels, Labels classes, Counts counts, std::uint64_t seed,
                           const std::vector<std::uint64_t>& trials, std::size_t threads) {
    const std::size_t listed = pool.offsets.back(), sets = counts.shape(0);
    check(labels.size() == listed && classes.size() == listed && counts.shape(1) == pool.topics.size(),
          "labels, classes or counts do not fit the pool");
    for (std::size_t i = 0; i < listed; ++i)
        check(classes.data()[i] < static_cast<std::int64_t>(counts.shape(2)), "no such class");
    const Draw ask{labels.data(), classes.data(), counts.shape(2), counts.data(), sets, seed, trials};
    std::vector<std::int32_t> samples(size_of({trials.size(), sets, listed}));
    {
        nb::gil_scoped_release release;
        draw_samples(pool, ask, threads, samples.data());
    }
    return hand_over(std::move(samples), {trials.size(), sets, listed});
}

}  // namespace

void bind_sampling(nb::module_& module, nb::class_<Pool>& pool) {
    module.attr("NO_RANK") = no_rank;
    pool.def("content_keys", [](const Pool& pool) {
        ContentKeys keys = content_keys(pool);
        return std::make_tuple(hand_over(std::move(keys.documents)), hand_over(std::move(keys.topics)));
    });
    pool.def("document_offsets",
             [](const Pool& pool) {
                 check_whole(pool);
                 return hand_over(document_offsets(pool));
             })
        .def(
            "best_ranks",
            [](const Pool& pool, const std::vector<std::uint32_t>& runs) { return hand_over(best_ranks(pool, runs)); },
            "runs"_a)
        .def(
            "best_ranks_of_all",
            [](const Pool& pool, const std::vector<std::uint32_t>& runs) {
                check_whole(pool);
                return hand_over(best_ranks_of_all(pool, runs));
            },
            "runs"_a)
        .def(
            "random_numbers",
            [](const Pool& pool, std::uint64_t seed, std::uint64_t trial) {
                check_whole(pool);
                return hand_over(random_numbers(pool, seed, trial));
            },
            "seed"_a, "trial"_a)
        .def("draw", &draw, "labels"_a, "classes"_a, "counts"_a, "seed"_a, "trials"_a, "threads"_a);
}

}  // namespace poolwise
