// The front of pool: runs and judgments joined; files that become a pool. Other folders include this header alone.
#pragma once

#include "blocks.hpp"
#include "files.hpp"
#include "label_reader.hpp"
#include "narrowing.hpp"
#include "open_documents.hpp"
#include "pool.hpp"
#include "rejoining.hpp"
#include "run_reader.hpp"
#include "storing.hpp"
