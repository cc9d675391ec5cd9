// The front of estimates: terms of estimates from sampled judgments. Other folders include this header alone.
#pragma once

#include "assisted.hpp"
#include "elsewhere.hpp"
#include "gain_terms.hpp"
#include "label_reach.hpp"
#include "mean_ideal.hpp"
#include "outside.hpp"
#include "outside_reach.hpp"
#include "panels.hpp"
#include "poisson.hpp"
#include "precision_sums.hpp"
#include "precision_terms.hpp"
#include "shares.hpp"
#include "topic_rows.hpp"
