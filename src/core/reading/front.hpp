// The front of reading: words, numbers and names in text. Other folders include this header alone.
#pragma once

#include "lines.hpp"
#include "names.hpp"
#include "numbers.hpp"
#include "text.hpp"
