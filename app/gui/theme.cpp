// SPDX-License-Identifier: MIT
// The two palettes.
#include "app/gui/theme.hpp"

namespace pipescope {
namespace {

Theme make_dark() {
    Theme t;
    t.panel = rgb(0x1b2027), t.stage = rgb(0x14171c), t.card = rgb(0x232a33), t.well = rgb(0x1a1f26), t.line = rgb(0x2b333d);
    t.text = rgb(0xe8ecf1), t.muted = rgb(0xa3adba), t.faint = rgb(0x75808e), t.on_fill = rgb(0x0d141a), t.on_accent = rgb(0x10180c);
    t.accent = rgb(0x7fb069), t.accent_soft = rgb(0x33423c), t.link = rgb(0x56b4e9), t.warn = rgb(0xf07a3e), t.now = rgb(0xffffff);
    t.kernel = rgb(0x51a9db), t.user = rgb(0xe69f00), t.cache = rgb(0x1fae85), t.socket = rgb(0xcc79a7), t.zero = rgb(0x8a94a1);
    t.lane_call = rgb(0x7fb069), t.lane_user = rgb(0xe69f00), t.lane_lock = rgb(0xe0662a), t.lane_empty = rgb(0x6b7685), t.lane_woken = rgb(0x4a6444);
    t.hatch = rgb(0x596472), t.curve = rgb(0x2f536a);
    return t;
}

Theme make_light() {
    Theme t;
    t.dark = false;
    t.panel = rgb(0xffffff), t.stage = rgb(0xf3f4f6), t.card = rgb(0xeceff3), t.well = rgb(0xffffff), t.line = rgb(0xd5dae1);
    t.text = rgb(0x14181d), t.muted = rgb(0x4f5966), t.faint = rgb(0x828c98), t.on_fill = rgb(0x0a1218), t.on_accent = rgb(0xffffff);
    t.accent = rgb(0x43792f), t.accent_soft = rgb(0xcfddd2), t.link = rgb(0x1b74a8), t.warn = rgb(0xbf4a10), t.now = rgb(0x14181d);
    t.kernel = rgb(0x4a9fd0), t.user = rgb(0xd99514), t.cache = rgb(0x1fae85), t.socket = rgb(0xcc79a7), t.zero = rgb(0x98a2ae);
    t.lane_call = rgb(0x4f8a3c), t.lane_user = rgb(0xc98400), t.lane_lock = rgb(0xe0662a), t.lane_empty = rgb(0x6b7685), t.lane_woken = rgb(0xb4d3a8);
    t.hatch = rgb(0xa9b2bd), t.curve = rgb(0xb5d7ea);
    return t;
}

} // namespace

Colour mix(Colour a, Colour b, float part) {
    Colour out = 0xff000000u;
    for (int shift = 0; shift < 24; shift += 8) {
        const auto x = static_cast<float>(a >> shift & 0xff), y = static_cast<float>(b >> shift & 0xff);
        out |= static_cast<Colour>(x + (y - x) * part + 0.5f) << shift;
    }
    return out;
}

Colour Theme::owner(PageOwner o) const {
    switch (o) {
    case PageOwner::kernel:
    case PageOwner::table: return kernel;
    case PageOwner::user: return user;
    case PageOwner::page_cache: return cache;
    case PageOwner::socket: return socket;
    case PageOwner::zero:
    case PageOwner::unknown:
    case PageOwner::free: break;
    }
    return zero;
}

Colour Theme::lane(LaneKind k) const {
    switch (k) {
    case LaneKind::in_call: return lane_call;
    case LaneKind::user: return lane_user;
    case LaneKind::lock_wait: return lane_lock;
    case LaneKind::sleep_empty: return lane_empty;
    case LaneKind::woken: return lane_woken;
    case LaneKind::sleep_full:
    case LaneKind::none:
    case LaneKind::count: break;
    }
    return card;
}

const Theme& theme(bool dark) {
    static const Theme d = make_dark(), l = make_light();
    return dark ? d : l;
}

} // namespace pipescope
