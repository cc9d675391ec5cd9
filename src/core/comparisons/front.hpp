// The front of comparisons: resampling of pairs of runs. Other folders include this header alone.
#pragma once

#include "pairs.hpp"
