// The module `_core`.
#include "border.hpp"

NB_MODULE(_core, module) {
    using namespace poolwise;
    nb::set_leak_warnings(false);

    module.attr("POOLED") = pooled;
    module.attr("OUTSIDE") = outside;
    bind_reading(module);
    nb::class_<Pool> pool(module, "Pool");
    bind_pool(pool);
    bind_sampling(module, pool);
    bind_scoring(module, pool);
    bind_pairs(module);
    bind_assisted(module, pool);
}
