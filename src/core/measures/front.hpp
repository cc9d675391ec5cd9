// The front of measures: kernels of all measures, and the table of them. Other folders include this header alone.
#pragma once

#include "estimators.hpp"
#include "gain_kernels.hpp"
#include "kernel.hpp"
#include "kernels.hpp"
#include "preference_kernels.hpp"
#include "set_kernels.hpp"
#include "subtopic_kernels.hpp"

namespace poolwise {

template <std::size_t A, std::size_t B>
constexpr std::array<Entry, A + B> joined(const std::array<Entry, A>& first, const std::array<Entry, B>& second) {
    std::array<Entry, A + B> both{};
    for (std::size_t i = 0; i < A; ++i) both[i] = first[i];
    for (std::size_t i = 0; i < B; ++i) both[A + i] = second[i];
    return both;
}

inline constexpr auto kernel_table = joined(joined(joined(ranking_kernels, preference_kernels), estimating_kernels),
                                            joined(joined(set_kernels, gain_kernels), subtopic_kernels));

// Nothing for a name that is in no table.
inline const Entry* find_entry(const std::string& name) {
    for (const Entry& entry : kernel_table)
        if (name == entry.name) return &entry;
    for (const Entry& entry : companion_kernels)
        if (name == entry.name) return &entry;
    return nullptr;
}

inline std::unique_ptr<Kernel> make_kernel(const Spec& spec) {
    const Entry* entry = find_entry(spec.kernel);
    return entry == nullptr ? nullptr : entry->make(spec);
}

}  // namespace poolwise
