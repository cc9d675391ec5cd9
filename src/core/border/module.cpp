// The module `_core`.
#include <nanobind/eval.h>

#include "basics/front.hpp"
#include "border.hpp"

namespace {

PyObject* nothing = nullptr;  // a Python function that does nothing

// Running any Python code at all is when pending signals are handled (on the main thread) and when exceptions that
// another thread has asked for are raised.
void ask_python() {
    const poolwise::nb::gil_scoped_acquire acquire;
    PyObject* const result = PyObject_CallNoArgs(nothing);
    if (result == nullptr) throw poolwise::nb::python_error();
    Py_DECREF(result);
}

}  // namespace

NB_MODULE(_core, module) {
    using namespace poolwise;
    nb::set_leak_warnings(false);
    nothing = nb::eval("lambda: None").release().ptr();
    ask_whether_to_stop = ask_python;

    module.attr("POOLED") = pooled;
    module.attr("OUTSIDE") = outside;
    bind_reading(module);
    nb::class_<Pool> pool(module, "Pool");
    bind_pool(module, pool);
    bind_sampling(module, pool);
    bind_scoring(module, pool);
    bind_pairs(module);
    bind_distributions(module);
    bind_assisted(module, pool);
    bind_outside(pool);
    bind_terms(pool);
    bind_topic_rows(module);
}
