// Every kernel by its name.
#pragma once

#include "estimators.hpp"
#include "kernels.hpp"

namespace poolwise {

template <class K>
std::unique_ptr<Kernel> make(const Spec& spec) {
    return std::make_unique<K>(spec);
}

struct Entry {
    const char* name;
    std::unique_ptr<Kernel> (*make)(const Spec&);
};

inline constexpr std::array kernel_table{
    Entry{"P", make<P>},
    Entry{"R", make<R>},
    Entry{"Rprec", make<Rprec>},
    Entry{"Success", make<Success>},
    Entry{"NumRelRet", make<NumRelRet>},
    Entry{"NumRel", make<NumRel>},
    Entry{"NumRet", make<NumRet>},
    Entry{"NumQ", make<NumQ>},
    Entry{"RR", make<RR>},
    Entry{"AP", make<AP>},
    Entry{"Judged", make<Judged>},
    Entry{"ERR", make<ERR>},
    Entry{"RBP", make<RBP>},
    Entry{"RBPres", make<RBPres>},
    Entry{"nDCG", make<nDCG>},
    Entry{"Q", make<Q>},
    Entry{"bpref", make<Preference<BprefLoss>>},
    Entry{"bpref_R", make<Preference<BprefRLoss>>},
    Entry{"bpref_N", make<Preference<BprefNLoss>>},
    Entry{"bpref_old", make<Preference<BprefOldLoss>>},
    Entry{"bpref10", make<Preference<Bpref10Loss>>},
    Entry{"bpref_relative", make<Preference<BprefRelativeLoss>>},
    Entry{"rpref_N", make<GradedPreference<DivideByN>>},
    Entry{"rpref_relative", make<GradedPreference<DivideByRankBefore>>},
    Entry{"rpref_relative2", make<GradedPreference<DivideByRank>>},
    Entry{"infAP", make<infAP>},
    Entry{"xinfAP", make<xinfAP>},
    Entry{"infNDCG", make<infNDCG>},
    Entry{"iP", make<iP>},
};

// Numbers about a measure's scores that are no measures themselves.
inline constexpr std::array companion_table{
    Entry{"infAP_variance", make<infAPVariance>},
};

// Nothing for a name that is in neither table.
inline std::unique_ptr<Kernel> make_kernel(const Spec& spec) {
    for (const Entry& entry : kernel_table)
        if (spec.kernel == entry.name) return entry.make(spec);
    for (const Entry& entry : companion_table)
        if (spec.kernel == entry.name) return entry.make(spec);
    return nullptr;
}

}  // namespace poolwise
