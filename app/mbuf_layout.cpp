// SPDX-License-Identifier: MIT
// Where the view of mbufs puts things: a packet a row, m_next to the right, m_nextpkt downward, clusters in a column on the right.
#include "app/mbuf_picture.hpp"
#include <algorithm>

namespace pipescope {
namespace {

constexpr float msize = 128, mhdr = msize - static_cast<float>(mlen), pkthdr = static_cast<float>(mlen - mhlen); // bytes
constexpr std::size_t most_parts = 4; // drawn below a cluster

struct Sizes {
    // `roomy`, from 0 to 1: how much more than it needs a high window has.
    Sizes(float scale, float height) : k(scale), roomy(std::clamp((height - px(440)) / px(120), 0.0f, 1.0f)) {}
    float k, roomy;
    float px(float v) const { return v * k; }
    float wire = px(30), strip = px(15 + 7 * roomy), box_h = px(29) + strip, caption = px(18), row = px(42) + box_h + px(12 * roomy);
    float box_gap = px(20), least_box = px(92), most_box = px(150 + 20 * roomy), transit = px(48);
    float bar = px(22 + 14 * roomy), part = px(7), note = px(16), free = px(18), gap = px(10 + 8 * roomy);
};

MbufBox box_of(const State& s, MbufId id, const Rect& r, const Sizes& z) {
    const Mbuf& m = s.mbufs.mbufs[id];
    const Rect strip{r.x + z.px(6), r.bottom() - z.px(5) - z.strip, r.w - z.px(12), z.strip};
    const float byte = strip.w / msize;
    MbufBox b{id, r, strip, strip, strip, strip};
    b.hdr.w = mhdr * byte;
    b.pkthdr.x = b.hdr.right(), b.pkthdr.w = m.flags & M_PKTHDR ? pkthdr * byte : 0;
    b.data.x = b.pkthdr.right(), b.data.w = strip.right() - b.data.x;
    b.filled.x = b.hdr.right() + static_cast<float>(m.off) * byte;
    b.filled.w = static_cast<float>(m.len) * byte;
    if (m.flags & M_EXT) b.filled.x = b.data.x, b.filled.w = 0; // its own bytes are not used
    return b;
}

void lay_rows(const State& s, std::vector<MbufChain> chains, MbufPicture& out, const Rect& area, const Sizes& z) {
    const auto fit = static_cast<std::size_t>(std::max(0.0f, (area.h + z.px(2)) / z.row));
    if (chains.size() > fit) { // what a call works on is always there, and the queue from its front
        const auto last = std::find_if(chains.begin(), chains.end(), [](const MbufChain& c) { return c.place == ChainPlace::making; });
        const std::size_t making = std::min(static_cast<std::size_t>(chains.end() - last), fit), front = fit - making;
        out.hidden_rows = static_cast<std::size_t>(last - chains.begin()) - std::min(front, static_cast<std::size_t>(last - chains.begin()));
        chains.erase(chains.begin() + static_cast<std::ptrdiff_t>(front), last);
        chains.resize(std::min(chains.size(), fit));
    }
    std::size_t longest = 1;
    for (const MbufChain& c : chains) longest = std::max(longest, c.mbufs.size());
    const auto n = static_cast<float>(longest);
    const float w = std::min(std::clamp((area.w - (n - 1) * z.box_gap) / n, z.least_box, z.most_box), area.w);
    const auto in_row = static_cast<std::size_t>(std::max(1.0f, (area.w + z.box_gap + 0.5f) / (w + z.box_gap)));
    float y = area.y;
    for (MbufChain& c : chains) {
        MbufRow row{std::move(c), {area.x + z.px(26), y, area.w - z.px(26), z.caption}, {}, 0};
        for (std::size_t i = 0; i < row.chain.mbufs.size() && i < in_row; ++i)
            row.boxes.push_back(box_of(s, row.chain.mbufs[i], {area.x + static_cast<float>(i) * (w + z.box_gap), y + z.caption, w, z.box_h}, z));
        row.hidden = row.chain.mbufs.size() - row.boxes.size();
        out.rows.push_back(std::move(row));
        y += z.row;
    }
}

void lay_clusters(const State& s, const std::vector<MbufFault>& faults, MbufPicture& out, const Sizes& z) {
    const Mbufs& b = s.mbufs;
    std::vector<ClusterBox> all;
    std::vector<std::vector<ClusterPart>> parts_of(b.clusters.size());
    std::vector<bool> shown(b.mbufs.size());
    for (const MbufRow& row : out.rows)
        for (const MbufBox& box : row.boxes) shown[box.id] = true;
    for (const bool first : {true, false}) // those that are drawn themselves have a line to their part
        for (MbufId m = 0; m < b.mbufs.size(); ++m) {
            const Mbuf& x = b.mbufs[m];
            if (shown[m] == first && x.used && x.flags & M_EXT && parts_of[x.cluster].size() < most_parts) parts_of[x.cluster].push_back({m, {}});
        }
    float used_h = 0, free_h = 0;
    for (ClusterId c = 0; c < b.clusters.size(); ++c) {
        ClusterBox box;
        box.id = c;
        for (const MbufFault& f : faults)
            if (f.cluster == c) box.faults.push_back(f);
        box.parts = std::move(parts_of[c]);
        const auto parts = static_cast<float>(box.parts.size()), notes = static_cast<float>(box.faults.size());
        box.r.h = b.clusters[c].refs ? z.caption + z.bar + z.px(3) + parts * z.part + notes * z.note + z.gap : z.free;
        (b.clusters[c].refs ? used_h : free_h) += box.r.h;
        all.push_back(std::move(box));
    }
    const Rect& col = out.column;
    const float more = z.free; // the line that tells what is left out
    const bool show_free = used_h + free_h <= col.h;
    float y = col.y;
    for (ClusterBox& box : all) {
        const bool used = b.clusters[box.id].refs != 0;
        const float h = box.r.h;
        if (used ? y + h > col.bottom() - (show_free ? 0 : more) + 0.5f : !show_free) {
            ++(used ? out.used_hidden : out.free_hidden);
            continue;
        }
        box.r = {col.x, y, col.w, h};
        box.bar = {col.x, y + z.caption, col.w, z.bar};
        float at = box.bar.bottom() + z.px(3);
        for (ClusterPart& part : box.parts) {
            const Mbuf& m = b.mbufs[part.mbuf];
            const float byte = col.w / static_cast<float>(mclbytes);
            part.r = {col.x + static_cast<float>(m.off) * byte, at, std::max(static_cast<float>(m.len) * byte, z.px(2)), z.part - z.px(3)};
            at += z.part;
        }
        y += h;
        out.clusters.push_back(std::move(box));
    }
    out.rest_y = y;
}

} // namespace

const ClusterBox* MbufPicture::cluster(ClusterId c) const {
    for (const ClusterBox& b : clusters)
        if (b.id == c) return &b;
    return nullptr;
}

MbufPicture mbuf_layout(const State& s, const std::vector<MbufFault>& faults, const Rect& area, float scale, float memory_h) {
    const Sizes z(scale, area.h);
    MbufPicture out;
    const float column = std::clamp(area.w * 0.3f, z.px(120), z.px(250)), top = area.y + z.wire;
    out.wire = {area.x, area.y, area.w, z.wire - z.px(6)};
    out.column = {area.right() - column, top, column, area.bottom() - top};
    const float left = area.w - column - z.transit;
    // Not farther down than three packets take, and more of them where there are more.
    std::vector<MbufChain> chains = mbuf_chains(s);
    const float rows = z.row * static_cast<float>(std::max<std::size_t>(chains.size(), 3));
    out.memory = {area.x, std::min(area.bottom() - memory_h, top + rows), left, memory_h};
    lay_rows(s, std::move(chains), out, {area.x, top, left, out.memory.y - top}, z);
    lay_clusters(s, faults, out, z);
    return out;
}

} // namespace pipescope
