// The front of estimates: terms of estimates from sampled judgments. Other folders include this header alone.
#pragma once

#include "assisted.hpp"
#include "gain_terms.hpp"
#include "panels.hpp"
#include "poisson.hpp"
#include "precision_sums.hpp"
#include "precision_terms.hpp"
#include "topic_rows.hpp"
#include "unpooled.hpp"
