// SPDX-License-Identifier: MIT
// The clusters with their references, the lines that lead to them, programs' memory, and the band of a copy.
#include "app/gui/subject.hpp"
#include "app/gui/view_mbufs.hpp"
#include "core/mm/walk.hpp"
#include <algorithm>
#include <fmt/format.h>

namespace pipescope {
namespace {

constexpr std::uint64_t most_bytes = 64 << 10; // of a buffer whose bytes are drawn

std::vector<std::uint8_t> buffer_bytes(const State& s, const Buffer& b) {
    std::vector<std::uint8_t> out(b.len);
    for (std::uint64_t at = 0; at < b.len;) {
        const std::uint64_t in_page = (b.addr + at) & (page_size - 1), n = std::min<std::uint64_t>(page_size - in_page, b.len - at);
        const Walk w = walk(s, b.mm, b.addr + at);
        if (const auto it = w.present ? s.bytes.find(w.page) : s.bytes.end(); it != s.bytes.end() && it->second)
            std::copy_n(it->second->begin() + static_cast<std::ptrdiff_t>(in_page), n, out.begin() + static_cast<std::ptrdiff_t>(at));
        at += n;
    }
    return out;
}

// "program, m1, m4": whose references the count is.
std::string holders(const Scene& scene, const ClusterBox& box) {
    const Cluster& c = scene.s.mbufs.clusters[box.id];
    std::string out = c.taken ? "program" : "";
    for (const ClusterPart& part : box.parts) out += fmt::format("{}m{}", out.empty() ? "" : ", ", part.mbuf);
    if (c.refs > box.parts.size() + c.taken) out += fmt::format(" +{}", c.refs - box.parts.size() - c.taken);
    return out;
}

Rect part_of(const Rect& bar, std::uint64_t from, std::uint64_t n, std::uint64_t whole) {
    const float byte = bar.w / static_cast<float>(std::max<std::uint64_t>(whole, 1));
    return {bar.x + static_cast<float>(from) * byte, bar.y, std::max(static_cast<float>(std::min(n, whole - from)) * byte, 2.0f), bar.h};
}

} // namespace

void MbufView::draw_runs(Paint& p, const Rect& bar, const std::vector<ByteRun>& runs, std::size_t bytes, Colour c) {
    const float h = p.text_h(Face::mono_small);
    bool pale = false;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const ByteRun& r = runs[i];
        if (!r.mixed && r.byte == 0) continue; // nothing was stored
        const Rect part = part_of(bar, r.from, r.to - r.from, bytes);
        p.rect(part, pale ? mix(c, rgb(0xffffff), 0.4f) : c);
        pale = !pale;
        const std::string letter = byte_text(r), sized = fmt::format("{} ×{}", letter, digits_grouped(r.to - r.from));
        const float y = part.mid_y() - h / 2, w = p.text_w(Face::mono_small, sized) + p.px(4);
        const bool gap = i + 1 < runs.size() && runs[i + 1].byte == 0 && !runs[i + 1].mixed; // behind it nothing was stored
        const Rect free = gap ? part_of(bar, runs[i + 1].from, runs[i + 1].to - runs[i + 1].from, bytes) : Rect{};
        if (h > part.h + p.px(1)) continue;
        if (w <= part.w) p.text_in(Face::mono_small, part.x, y, part.w, p.theme.on_fill, sized, Align::centre);
        else if (w + p.px(6) <= free.w) p.text(Face::mono_small, part.right() + p.px(5), y, p.theme.text, sized);
        else if (p.text_w(Face::mono_small, letter) + p.px(2) <= part.w) p.text_in(Face::mono_small, part.x, y, part.w, p.theme.on_fill, letter, Align::centre);
    }
}

// A line for each reference, in the gap below its row and then across to its part of the cluster; nothing moves on it.
void MbufView::draw_links(const Scene& scene, Paint& p) {
    const Theme& th = p.theme;
    const float bus = picture_.memory.right() + p.px(4);
    for (int pass = 0; pass < 2; ++pass) // those looked at last, over the others
        for (const MbufRow& row : picture_.rows) {
            int lane = 0;
            for (std::size_t i = row.boxes.size(); i-- > 0;) { // from the right, so that none crosses another one's way down
                const MbufBox& box = row.boxes[i];
                const Mbuf& m = scene.s.mbufs.mbufs[box.id];
                if (!(m.flags & M_EXT)) continue;
                const float y = box.r.bottom() + p.px(6) + p.px(4) * static_cast<float>(lane++);
                const bool looked = box.id == hovered_ || box.id == scene.focus.mbuf || faulty(box.id);
                const ClusterBox* to = picture_.cluster(m.cluster);
                if (looked != (pass == 1) || !to) continue;
                const auto part = std::find_if(to->parts.begin(), to->parts.end(), [&](const ClusterPart& c) { return c.mbuf == box.id; });
                const bool known = part != to->parts.end(); // else more point at it than are drawn: the line ends at the bar
                const Colour owner = scene.s.mbufs.clusters[m.cluster].taken ? th.user : th.kernel;
                const Colour c = faulty(box.id) ? th.warn : box.id == scene.focus.mbuf ? th.accent : box.id == hovered_ ? th.link : mix(th.stage, owner, 0.7f);
                const float thick = looked ? p.px(2.5f) : std::max(p.px(1.5f), 1.0f), ty = known ? part->r.mid_y() : to->bar.mid_y(), x = box.r.mid_x();
                p.line(x, box.r.bottom(), x, y, c, thick), p.line(x, y, bus, y, c, thick);
                const float bend = (picture_.column.x - bus) * 0.6f;
                p.dl->AddBezierCubic({bus, y}, {bus + bend, y}, {picture_.column.x - bend, ty}, {picture_.column.x, ty}, c, thick);
                if (known && part->r.x > picture_.column.x + p.px(3)) p.line(picture_.column.x, ty, part->r.x, ty, c, 1);
            }
        }
}

void MbufView::draw_clusters(Scene& scene, Paint& p) {
    const Theme& th = p.theme;
    for (const ClusterBox& box : picture_.clusters) draw_cluster(scene, p, box);
    std::string rest;
    if (picture_.used_hidden) rest = fmt::format("{} more in use", picture_.used_hidden);
    if (picture_.free_hidden) rest += fmt::format("{}{} more free", rest.empty() ? "" : ", ", picture_.free_hidden);
    p.text_in(Face::small, picture_.column.x, picture_.rest_y, picture_.column.w, th.muted, rest);
}

void MbufView::draw_cluster(Scene& scene, Paint& p, const ClusterBox& box) {
    const Theme& th = p.theme;
    const Cluster& c = scene.s.mbufs.clusters[box.id];
    const std::string name = fmt::format("c{}", box.id);
    float x = box.r.x;
    x += p.text_in(Face::mono_strong, x, box.r.y, box.r.w, c.refs ? th.text : th.muted, name) + p.px(8);
    const bool now = scene.focus.page == c.page && scene.focus.mbuf != no_id && scene.focus.stage.b == box.id;
    if (c.refs == 0) {
        p.text_in(Face::small, x, box.r.y + 1, box.r.right() - x, th.muted, "free");
        return;
    }
    x += p.text_in(Face::mono_strong, x, box.r.y, box.r.right() - x, th.text, fmt::format("×{}", c.refs)) + p.px(8);
    p.text_in(Face::small, x, box.r.y + 1, box.r.right() - x, th.muted, holders(scene, box), Align::right);
    p.rect(box.bar, th.card);
    draw_runs(p, box.bar, byte_runs(cluster_bytes(scene.s, box.id)), mclbytes, c.taken ? th.user : th.kernel);
    p.outline(box.bar, now ? th.accent : c.taken ? th.user : th.line, now ? p.px(2) : c.taken ? p.px(1.5f) : 1);
    for (const ClusterPart& part : box.parts)
        p.rect(part.r, faulty(part.mbuf) ? th.warn : part.mbuf == scene.focus.mbuf ? th.accent : part.mbuf == hovered_ ? th.link : th.muted, p.px(1));
    float y = box.r.bottom() - p.px(8) - p.px(16) * static_cast<float>(box.faults.size());
    for (const MbufFault& f : box.faults) {
        const Rect at = part_of(box.bar, f.at, 1, mclbytes);
        p.rect({at.x - p.px(1), box.bar.y - p.px(3), p.px(3), box.bar.h + p.px(6)}, th.warn);
        p.text_in(Face::small, box.r.x, y, box.r.w, th.warn, f.words);
        y += p.px(16);
    }
    const auto press = p.area("mbufs/" + name, {box.r.x, box.r.y, box.r.w, box.bar.bottom() - box.r.y});
    if (press.hovered)
        p.tip(fmt::format("cluster {}, {} bytes, half {} of page {}\n{} reference{}: {}", box.id, mclbytes, c.offset ? 2 : 1, scene.page(c.page), c.refs, c.refs == 1 ? "" : "s", holders(scene, box)));
    if (press.clicked) select_page(scene, c.page);
}

void MbufView::draw_memory(Scene& scene, Paint& p) {
    const Theme& th = p.theme;
    for (const Bar& bar : bars_) {
        const Buffer& b = scene.s.buffers[bar.buffer];
        p.text_in(Face::small, bar.r.x, bar.r.bottom() + p.px(4), bar.r.w * 0.65f, th.muted, fmt::format("{} of the program, {} bytes", scene.names[b.name], digits_grouped(b.len)));
        p.rect(bar.r, th.card);
        if (b.len <= most_bytes) draw_runs(p, bar.r, byte_runs(buffer_bytes(scene.s, b)), b.len, th.user);
        p.outline(bar.r, th.user, p.px(1.5f));
        if (p.area("mbufs/" + std::string(scene.names[b.name]), bar.r).clicked) {
            const Walk w = walk(scene.s, b.mm, b.addr);
            select_place(scene, b.mm, b.addr, w.present ? w.page : no_page);
        }
    }
}

std::vector<Rect> MbufView::source(const Scene& scene) const {
    const Focus& f = scene.focus;
    if (f.task >= scene.s.tasks.size()) return {};
    const MmId mm = scene.s.tasks[f.task].mm;
    for (const Bar& bar : bars_)
        if (const Buffer& b = scene.s.buffers[bar.buffer]; b.mm == mm && f.user_addr >= b.addr && f.user_addr - b.addr < b.len)
            return {part_of(bar.r, f.user_addr - b.addr, f.bytes, b.len)};
    std::vector<Rect> out; // a program may send a copy of what lies in its clusters
    for (std::uint64_t done = 0; done < f.bytes;) {
        std::uint32_t at = 0;
        const ClusterId c = cluster_at(scene.s, mm, f.user_addr + done, at);
        if (c == no_id) break;
        if (const ClusterBox* box = picture_.cluster(c)) out.push_back(part_of(box->bar, at, f.bytes - done, mclbytes));
        done += mclbytes - at;
    }
    return out;
}

void MbufView::draw_copy(const Scene& scene, Paint& p) {
    const Focus& f = scene.focus;
    if (!f.copies || f.stage.stage != Stage::b_copy) return;
    const std::vector<Rect> sources = source(scene);
    Rect to;
    const ClusterBox* box = f.stage.b == no_id ? nullptr : picture_.cluster(f.stage.b);
    if (box) to = part_of(box->bar, 0, f.bytes, mclbytes);
    else
        for (const MbufRow& row : picture_.rows)
            for (const MbufBox& b : row.boxes)
                if (b.id == f.stage.a) to = b.data;
    if (sources.empty() || to.w == 0) return;
    for (const Rect& r : sources) p.outline({r.x - 1, r.y - 1, r.w + 2, r.h + 2}, p.theme.accent, p.px(2));
    const Rect& from = sources.front();
    const float column = picture_.column.x, left = picture_.memory.right();
    const bool beside = from.x >= column; // from a cluster: out on the left and in again
    const float bulge = (column - left) * 0.9f, rise = std::max((from.y - to.bottom()) * 0.6f, p.px(16));
    const ImVec2 a = beside ? ImVec2(column - 1, from.mid_y()) : ImVec2(from.mid_x(), from.y - 1);
    const ImVec2 d = box ? ImVec2(to.x - 1, to.mid_y()) : ImVec2(to.mid_x(), to.bottom() + 1);
    const ImVec2 b = beside ? ImVec2(column - bulge, a.y) : ImVec2(a.x, a.y - rise);
    const ImVec2 c = box ? ImVec2(column - bulge, d.y) : ImVec2(d.x, d.y + rise);
    p.band({a, b, c, d}, scene.motion);
    const auto moved = static_cast<std::uint64_t>(static_cast<float>(f.bytes) * scene.motion + 0.5f);
    const std::string words = fmt::format("{} of {} B", digits_grouped(moved), digits_grouped(f.bytes));
    const float w = p.text_w(Face::mono_small, words), h = p.text_h(Face::mono_small);
    const Rect ground{left - w - p.px(8), beside ? (a.y + d.y - h) / 2 : from.bottom() + p.px(5), w + p.px(8), h};
    if (beside) p.rect(ground, p.theme.stage);
    p.text(Face::mono_small, ground.x + p.px(8), ground.y, p.theme.text, words);
}

void MbufView::draw_legend(Paint& p, const Rect& r) {
    const Theme& th = p.theme;
    const float side = p.px(12), ty = r.mid_y() - p.text_h(Face::small) / 2;
    float x = r.x;
    const auto item = [&](const char* words, auto&& mark) {
        const float w = side + p.px(7) + p.text_w(Face::small, words);
        if (x + w > r.right()) return;
        mark(Rect{x, r.mid_y() - side / 2, side, side});
        p.text(Face::small, x + side + p.px(7), ty, th.muted, words);
        x += w + p.px(14);
    };
    item("a program's", [&](const Rect& b) { p.rect(b, th.user, p.px(2)); });
    item("the kernel's", [&](const Rect& b) { p.rect(b, th.kernel, p.px(2)); });
    item("m_hdr", [&](const Rect& b) { p.rect(b, mix(th.card, th.text, 0.3f), p.px(2)); });
    item("packet header", [&](const Rect& b) { p.rect(b, mix(th.card, th.text, 0.7f), p.px(2)); });
    item("not used", [&](const Rect& b) { p.rect(b, th.card, p.px(2)), p.hatch(b, th.hatch, 4); });
    item("m_next", [&](const Rect& b) { p.line(b.x, b.mid_y(), b.right() - p.px(4), b.mid_y(), th.muted, p.px(1.5f)), p.dl->AddTriangleFilled({b.right(), b.mid_y()}, {b.right() - p.px(6), b.mid_y() - p.px(4)}, {b.right() - p.px(6), b.mid_y() + p.px(4)}, th.muted); });
    item("m_nextpkt", [&](const Rect& b) { p.line(b.mid_x(), b.y, b.mid_x(), b.bottom() - p.px(4), th.muted, p.px(1.5f)), p.dl->AddTriangleFilled({b.mid_x(), b.bottom()}, {b.mid_x() - p.px(4), b.bottom() - p.px(6)}, {b.mid_x() + p.px(4), b.bottom() - p.px(6)}, th.muted); });
}

} // namespace pipescope
