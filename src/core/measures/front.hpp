// The front of measures: kernels of all measures, and the table of them. Other folders include this header alone.
#pragma once

#include "discounts.hpp"
#include "estimators.hpp"
#include "gain_kernels.hpp"
#include "kernel.hpp"
#include "kernel_table.hpp"
#include "kernels.hpp"
#include "preference_kernels.hpp"
#include "set_kernels.hpp"
#include "subtopic_kernels.hpp"
