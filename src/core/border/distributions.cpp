// Chances and quantiles, one for each number; release of the interpreter is not worth it for so little.
#include "basics/front.hpp"

#include "border.hpp"

namespace poolwise {
namespace {

View<double> normal_below_of(Numbers z) {
    std::vector<double> found(z.size());
    for (std::size_t i = 0; i < found.size(); ++i) found[i] = normal_below(z.data()[i]);
    return hand_over(std::move(found));
}

View<double> beta_below_of(Numbers p, Numbers q, Numbers x) {
    check(p.size() == x.size() && q.size() == x.size(), "as many of each parameter as numbers");
    std::vector<double> found(x.size());
    for (std::size_t i = 0; i < found.size(); ++i) found[i] = beta_below(p.data()[i], q.data()[i], x.data()[i]);
    return hand_over(std::move(found));
}

View<double> student_below_of(Numbers df, Numbers t) {
    check(df.size() == t.size(), "as many degrees of freedom as numbers");
    std::vector<double> found(t.size());
    for (std::size_t i = 0; i < found.size(); ++i) found[i] = student_below(df.data()[i], t.data()[i]);
    return hand_over(std::move(found));
}

View<double> student_quantiles_of(Numbers df, Numbers chance) {
    check(df.size() == chance.size(), "as many degrees of freedom as chances");
    for (std::size_t i = 0; i < chance.size(); ++i)
        check(chance.data()[i] >= 0.0 && chance.data()[i] <= 1.0, "a chance between 0 and 1 is needed");
    std::vector<double> found(df.size());
    for (std::size_t i = 0; i < found.size(); ++i) found[i] = student_quantile(df.data()[i], chance.data()[i]);
    return hand_over(std::move(found));
}

}  // namespace

void bind_distributions(nb::module_& module) {
    module.def("normal_below", &normal_below_of, "z"_a);
    module.def("beta_below", &beta_below_of, "p"_a, "q"_a, "x"_a);
    module.def("student_below", &student_below_of, "df"_a, "t"_a);
    module.def("student_quantiles", &student_quantiles_of, "df"_a, "chance"_a);
}

}  // namespace poolwise
