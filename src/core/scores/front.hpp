// The front of scores: scores of runs, bounds and ties. Other folders include this header alone.
#pragma once

#include "bounds.hpp"
#include "counted_bounds.hpp"
#include "expected_scores.hpp"
#include "gain_bounds.hpp"
#include "labelled_topic.hpp"
#include "sample_lists.hpp"
#include "score_range.hpp"
#include "scoring.hpp"
#include "simulated.hpp"
#include "tied_orders.hpp"
#include "ties.hpp"
