// SPDX-License-Identifier: MIT
// The heading of the mbufs, the frames on the wire, and the chains.
#include "app/gui/view_mbufs.hpp"
#include <algorithm>
#include <fmt/format.h>

namespace pipescope {
namespace {

std::string plural(std::uint64_t n, const char* one) { return fmt::format("{} {}{}", digits_grouped(n), one, n == 1 ? "" : "s"); }

// "B ×752, C ×648", of a whole frame.
std::string frame_text(const std::vector<std::uint8_t>& bytes) {
    std::string out;
    for (const ByteRun& r : byte_runs(bytes, 3)) out += fmt::format("{}{} ×{}", out.empty() ? "" : ", ", byte_text(r), digits_grouped(r.to - r.from));
    return out;
}

std::string mbuf_tip(const Scene& scene, MbufId id) {
    const Mbufs& b = scene.s.mbufs;
    const Mbuf& m = b.mbufs[id];
    std::string out = fmt::format("mbuf {}{}\n{}", id, m.flags & M_PKTHDR ? ", M_PKTHDR" : "", plural(m.len, "byte"));
    if (m.flags & M_EXT) out += fmt::format(" from {} of cluster {}, M_EXT\nits own {} are not used", digits_grouped(m.off), m.cluster, m.flags & M_PKTHDR ? mhlen : mlen);
    else out += fmt::format(" of {} of its own", m.room());
    if (m.next != no_id) out += fmt::format("\nm_next: mbuf {}", m.next);
    if (m.nextpkt != no_id) out += fmt::format("\nm_nextpkt: mbuf {}", m.nextpkt);
    return out;
}

} // namespace

bool Scene::mbufs() const {
    if (s.mbufs.clusters.empty()) return false;
    if (s.pipes.empty() || focus.task >= s.tasks.size()) return true;
    const Task& t = s.tasks[focus.task];
    const Sys call = t.sys != Sys::none ? t.sys : t.last_sys;
    return call == Sys::sendto || call == Sys::if_start;
}

void MbufView::draw(Scene& scene, Paint& p, const Rect& r) {
    p.rect(r, p.theme.stage);
    const float top = p.px(44), legend = p.px(26);
    bars_.clear();
    for (std::uint32_t i = 0; i < scene.s.buffers.size(); ++i) {
        const Buffer& b = scene.s.buffers[i];
        std::uint32_t at = 0;
        if (!b.scratch && b.len && cluster_at(scene.s, b.mm, b.addr, at) == no_id) bars_.push_back({i, {}});
    }
    const Rect body{r.x + p.px(18), r.y + top, r.w - p.px(36), r.h - top - legend - p.px(4)};
    bars_.resize(std::min<std::size_t>(bars_.size(), body.h > p.px(300) ? 2 : body.h > p.px(190) ? 1 : 0));
    faults_ = mbuf_faults(scene.s, scene.timeline, scene.n, scene.focus);
    picture_ = mbuf_layout(scene.s, faults_, body, p.k, p.px(46) * static_cast<float>(bars_.size()));
    for (std::size_t i = 0; i < bars_.size(); ++i)
        bars_[i].r = {picture_.memory.x, picture_.memory.y + p.px(46) * static_cast<float>(i) + p.px(2), picture_.memory.w, p.px(22)};
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    hovered_ = no_id;
    for (const MbufRow& row : picture_.rows)
        for (const MbufBox& box : row.boxes)
            if (box.r.contains(mouse.x, mouse.y) && ImGui::IsWindowHovered()) hovered_ = box.id;
    draw_header(scene, p, r);
    draw_wire(scene, p, picture_.wire);
    draw_links(scene, p);
    const Rect* above = nullptr;
    for (const MbufRow& row : picture_.rows) {
        const bool led = above && !row.boxes.empty();
        draw_row(scene, p, row, led ? above : nullptr);
        above = row.boxes.empty() ? nullptr : &row.boxes[0].r;
    }
    if (picture_.rows.empty())
        p.text_in(Face::body, body.x, picture_.wire.bottom() + p.px(8), picture_.memory.w, p.theme.muted, "no mbuf is in use");
    draw_clusters(scene, p);
    draw_memory(scene, p);
    draw_copy(scene, p);
    draw_legend(p, {body.x, r.bottom() - legend, body.w, legend});
}

bool MbufView::faulty(MbufId m) const {
    return std::any_of(faults_.begin(), faults_.end(), [&](const MbufFault& f) { return f.mbuf == m && m != no_id; });
}

void MbufView::draw_header(const Scene& scene, Paint& p, const Rect& r) {
    const Mbufs& b = scene.s.mbufs;
    float x = r.x + p.px(18);
    const float y = r.y + p.px(14), right = r.right() - p.px(18);
    if (!scene.narrow) x = p.heading(x, y, "THE MBUFS") + p.px(18); // a narrow window has it as a tab
    const auto used = std::count_if(b.mbufs.begin(), b.mbufs.end(), [](const Mbuf& m) { return m.used; });
    std::string words = plural(static_cast<std::uint64_t>(used), "mbuf") + " in use";
    if (picture_.hidden_rows) words += fmt::format(", {} without room", plural(picture_.hidden_rows, "packet"));
    words += " · " + plural(b.copied, "byte") + " copied · " + plural(b.references, "reference") + " taken";
    p.text_in(Face::mono, x, y, right - x, p.theme.muted, words);
}

// The last frames that find room, the newest on the right.
void MbufView::draw_wire(const Scene& scene, Paint& p, const Rect& r) {
    const Theme& th = p.theme;
    const auto& all = scene.s.mbufs.fetched;
    const float ty = r.mid_y() - p.text_h(Face::small) / 2, label = p.px(86);
    p.text_in(Face::body, r.x, r.mid_y() - p.text_h(Face::body) / 2, label, th.text, "on the wire");
    if (all.empty()) {
        p.text_in(Face::small, r.x + label, ty, r.w - label, th.muted, "nothing yet");
        return;
    }
    const auto text_of = [&](std::size_t i) {
        return fmt::format("{}: {}{}", i + 1, frame_text(*all[i].bytes), all[i].overwritten ? " · overwritten" : "");
    };
    std::size_t first = all.size();
    float room = r.w - label - p.px(60);
    while (first) {
        const float w = p.text_w(Face::mono_small, text_of(first - 1)) + p.px(16);
        if (w + p.px(6) > room) break;
        room -= w + p.px(6), --first;
    }
    if (first == all.size()) --first; // one at least, cut
    float x = r.x + label;
    if (first) x += p.text_in(Face::small, x, ty, p.px(56), th.muted, fmt::format("{} before", first)) + p.px(8);
    for (std::size_t i = first; i < all.size() && x < r.right(); ++i) {
        const std::string text = text_of(i);
        const Rect chip{x, r.y + 1, std::min(p.text_w(Face::mono_small, text) + p.px(16), r.right() - x), r.h - 2};
        p.pill(chip, th.card, all[i].overwritten ? th.warn : th.line);
        p.text_in(Face::mono_small, chip.x + p.px(8), chip.mid_y() - p.text_h(Face::mono_small) / 2, chip.w - p.px(16), all[i].overwritten ? th.warn : th.text, text);
        p.marks.add(fmt::format("mbufs/frame {}", i + 1), chip);
        x = chip.right() + p.px(6);
    }
}

void MbufView::draw_row(Scene& scene, Paint& p, const MbufRow& row, const Rect* above) {
    const Theme& th = p.theme;
    const Mbufs& b = scene.s.mbufs;
    const bool now = std::find(row.chain.mbufs.begin(), row.chain.mbufs.end(), scene.focus.mbuf) != row.chain.mbufs.end();
    const bool fault = std::any_of(row.chain.mbufs.begin(), row.chain.mbufs.end(), [&](MbufId m) { return faulty(m); });
    const char* place = row.chain.place == ChainPlace::fetched  ? "fetched by the card"
                        : row.chain.place == ChainPlace::queued ? b.queue == row.chain.mbufs.front() ? "in the queue, next" : "in the queue"
                                                                : "in the making";
    const std::string words = fmt::format("{} · {}", place, plural(row.chain.bytes, "byte"));
    const Rect& c = row.caption;
    const float w = p.text_in(Face::small, c.x, c.y, c.w, fault ? th.warn : now ? th.text : th.muted, words) + p.px(12);
    if (now && scene.focus.stage.stage == Stage::b_ext)
        p.text_in(Face::small, c.x + w, c.y, c.w - w, th.accent, fmt::format("m{} refers to c{}: no byte moves", scene.focus.mbuf, scene.focus.stage.b));
    if (above && !row.boxes.empty()) { // m_nextpkt
        const Rect& to = row.boxes[0].r;
        const float x = to.x + p.px(12);
        bool leads = false;
        for (const Mbuf& m : b.mbufs) leads = leads || (m.used && m.nextpkt == row.chain.mbufs.front());
        if (leads) {
            p.line(x, above->bottom(), x, to.y - p.px(6), th.muted, p.px(1.5f));
            p.dl->AddTriangleFilled({x, to.y - 1}, {x - p.px(4), to.y - p.px(8)}, {x + p.px(4), to.y - p.px(8)}, th.muted);
        }
    }
    for (std::size_t i = 0; i < row.boxes.size(); ++i) {
        const Rect& r = row.boxes[i].r;
        if (i + 1 < row.boxes.size() || row.hidden) { // m_next
            const float y = r.y + p.px(13), end = i + 1 < row.boxes.size() ? row.boxes[i + 1].r.x - 1 : r.right() + p.px(18);
            p.line(r.right(), y, end - p.px(6), y, th.muted, p.px(1.5f));
            p.dl->AddTriangleFilled({end, y}, {end - p.px(7), y - p.px(4)}, {end - p.px(7), y + p.px(4)}, th.muted);
            if (i + 1 == row.boxes.size())
                p.text_in(Face::small, end + p.px(5), y - p.text_h(Face::small) / 2, picture_.memory.right() - end - p.px(5), th.muted, fmt::format("+{}", row.hidden));
        }
        draw_mbuf(scene, p, row.boxes[i]);
    }
}

// Its 128 bytes to scale: m_hdr, the packet header where it has one, and its own data, which a cluster makes idle.
void MbufView::draw_mbuf(Scene& scene, Paint& p, const MbufBox& box) {
    const Theme& th = p.theme;
    const Mbuf& m = scene.s.mbufs.mbufs[box.id];
    const Rect& r = box.r;
    const bool fault = faulty(box.id), now = box.id == scene.focus.mbuf;
    p.rect(r, th.card, p.px(4));
    p.outline(r, fault ? th.warn : now ? th.accent : box.id == hovered_ ? th.link : th.line, fault || now ? p.px(2) : 1, p.px(4));
    const std::string name = fmt::format("m{}", box.id), bytes = fmt::format("len {}", m.len);
    const Face figures = box.data.h > p.px(19) ? Face::mono : Face::mono_small;
    const float ty = r.y + p.px(5), name_w = p.text_in(Face::mono_strong, r.x + p.px(7), ty, r.w - p.px(14), th.text, name);
    p.text_in(figures, r.x + p.px(9) + name_w, ty + (figures == Face::mono ? 0 : 1), r.w - p.px(16) - name_w, m.len ? th.text : th.muted, bytes, Align::right);
    p.rect(box.data, th.well), p.rect(box.hdr, mix(th.card, th.text, 0.3f));
    if (box.pkthdr.w > 0) p.rect({box.pkthdr.x + 1, box.pkthdr.y, box.pkthdr.w - 1, box.pkthdr.h}, mix(th.card, th.text, 0.7f));
    const float h = p.text_h(figures);
    if (m.flags & M_EXT) {
        const std::string where = fmt::format("c{}@{}", m.cluster, m.off);
        const float w = std::min(p.text_w(figures, where), box.data.w);
        p.hatch(box.data, th.hatch, 5);
        p.rect({box.data.mid_x() - w / 2 - p.px(3), box.data.y, w + p.px(6), box.data.h}, th.card);
        p.text_in(figures, box.data.x, box.data.mid_y() - h / 2, box.data.w, fault ? th.warn : th.text, where, Align::centre);
    } else if (m.len) {
        const std::vector<std::uint8_t> own = mbuf_bytes(scene.s, box.id);
        draw_runs(p, box.filled, byte_runs(own, 3), own.size(), th.kernel);
    }
    p.outline({box.hdr.x, box.hdr.y, box.data.right() - box.hdr.x, box.hdr.h}, th.line);
    if (p.area(fmt::format("mbufs/m{}", box.id), r).hovered) p.tip(mbuf_tip(scene, box.id));
}

} // namespace pipescope
