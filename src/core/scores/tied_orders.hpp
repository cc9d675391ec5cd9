// The orders in which a run's tied documents may stand.
#pragma once

#include <algorithm>

#include "pool/front.hpp"

namespace poolwise {

// One run's ranking of one topic, of which some stretches are tied; writes it anew in other orders.
class Orders {
   public:
    static constexpr std::uint32_t unlisted = 0xFFFFFFFFu;

    struct Group {
        std::uint32_t begin, end;  // places, from 0
        std::uint32_t size() const { return end - begin; }
    };

    // Whether the ranking has ties at all.
    bool set(const Run& run, std::uint32_t topic) {
        groups_.clear();
        const std::int32_t at = run.list_of_topic[topic];
        if (at < 0) return false;
        const auto first = std::partition_point(run.tied.begin(), run.tied.end(), [&](const Tie& tie) {
            return tie.list < static_cast<std::uint32_t>(at);
        });
        for (auto tie = first; tie != run.tied.end() && tie->list == static_cast<std::uint32_t>(at); ++tie)
            groups_.push_back({tie->begin, tie->end});
        if (groups_.empty()) return false;
        const List& list = run.lists[at];
        own_.assign(list.retrieved, unlisted);
        for (std::uint32_t i = 0; i < list.known; ++i)
            own_[run.rank[list.known_begin + i] - 1] = run.document[list.known_begin + i];
        written_.lists = {List{topic, list.known, list.retrieved, 0, 0}};
        written_.list_of_topic.assign(run.list_of_topic.size(), -1);
        written_.list_of_topic[topic] = 0;
        order_ = own_;
        return true;
    }

    const std::vector<Group>& groups() const { return groups_; }
    std::vector<std::uint32_t>& order() { return order_; }
    const std::vector<std::uint32_t>& own() const { return own_; }
    void restore() { order_ = own_; }

    // The ranking in the order that was made last.
    const Run& run() {
        written_.rank.clear();
        written_.document.clear();
        for (std::uint32_t place = 0; place < order_.size(); ++place) {
            if (order_[place] == unlisted) continue;
            written_.rank.push_back(place + 1);
            written_.document.push_back(order_[place]);
        }
        return written_;
    }

    // How many orders there are, up to `most`.
    std::size_t count(std::size_t most) const {
        std::size_t found = 1;
        for (const Group& group : groups_)
            for (std::size_t factor = 2; factor <= group.size(); ++factor) {
                found *= factor;
                if (found > most) return most + 1;
            }
        return found;
    }

   private:
    std::vector<Group> groups_;
    std::vector<std::uint32_t> own_, order_;  // documents by place
    Run written_;
};

}  // namespace poolwise
