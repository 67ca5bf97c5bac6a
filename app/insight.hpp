// SPDX-License-Identifier: MIT
// All that is taken from one pass over a run: the summary, the figures, the findings, and the model beside the kernel.
#pragma once
#include "sim/beside/beside.hpp"
#include "sim/findings/findings.hpp"
#include "sim/recording/summary.hpp"
#include <cstdint>
#include <vector>

namespace pipescope {

struct Insight {
    Summary summary = {};
    Figures figures = {};
    std::vector<Finding> findings = {};
    BesideReport beside = {};
};

class InsightFold {
public:
    explicit InsightFold(const TraceMeta& meta) : summarizer_(meta), taker_(meta, summarizer_), beside_(meta, summarizer_) {}
    void add(const Event& e) { // each event of the run, from the first on
        ++n_;
        if (!summarizer_.add(e)) return;
        taker_.add(n_, e);
        beside_.add(n_, e);
    }
    std::uint64_t size() const { return n_; }
    Insight finish(const StringTable& names) { // once, at the end
        Insight out;
        out.summary = summarizer_.finish(names);
        out.figures = taker_.finish(out.summary, names);
        out.findings = find(out.figures);
        out.beside = beside_.finish();
        return out;
    }

private:
    Summarizer summarizer_;
    FigureTaker taker_;
    Beside beside_;
    std::uint64_t n_ = 0;
};

} // namespace pipescope
