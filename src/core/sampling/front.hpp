// The front of sampling: samples of judgments, drawn by seed. Other folders include this header alone.
#pragma once

#include "sampling.hpp"
