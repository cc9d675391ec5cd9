// The front of basics: threads, stopping, distributions. Other folders include this header alone.
#pragma once

#include "distributions.hpp"
#include "parallel.hpp"
