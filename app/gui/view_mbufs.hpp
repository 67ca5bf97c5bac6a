// SPDX-License-Identifier: MIT
// WHAT, of a BSD: packets as chains of mbufs, the clusters they point into, what programs hold, and what went onto the wire.
#pragma once
#include "app/gui/paint.hpp"
#include "app/gui/scene.hpp"
#include "app/mbuf_picture.hpp"

namespace pipescope {

class MbufView {
public:
    void draw(Scene& scene, Paint& p, const Rect& r);

private:
    struct Bar { // memory of a program
        std::uint32_t buffer = no_id;
        Rect r;
    };
    void draw_header(const Scene& scene, Paint& p, const Rect& r);
    void draw_wire(const Scene& scene, Paint& p, const Rect& r);
    void draw_row(Scene& scene, Paint& p, const MbufRow& row, const Rect* above);
    void draw_mbuf(Scene& scene, Paint& p, const MbufBox& box);
    void draw_links(const Scene& scene, Paint& p);
    void draw_clusters(Scene& scene, Paint& p);
    void draw_cluster(Scene& scene, Paint& p, const ClusterBox& box);
    void draw_memory(Scene& scene, Paint& p);
    void draw_copy(const Scene& scene, Paint& p);
    void draw_runs(Paint& p, const Rect& bar, const std::vector<ByteRun>& runs, std::size_t bytes, Colour c);
    void draw_legend(Paint& p, const Rect& r);
    bool faulty(MbufId m) const;
    // The bytes that the running copy reads, on the bars they are in, as far as those are shown.
    std::vector<Rect> source(const Scene& scene) const;

    MbufPicture picture_;
    std::vector<MbufFault> faults_;
    std::vector<Bar> bars_;
    MbufId hovered_ = no_id; // lights up its line
};

} // namespace pipescope
