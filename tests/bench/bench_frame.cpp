// SPDX-License-Identifier: MIT
// Time to build one frame's draw lists, on a back end that draws nowhere.
#ifdef PIPESCOPE_GUI
#include "tests/demo_trace.hpp"
#include "tests/gui_driver.hpp"
#include <algorithm>
#include <chrono>
#include <cstdio>

using namespace pipescope;

namespace {

double median_ms(Driver& d, bool stepping) {
    std::vector<double> ms;
    for (int i = 0; i < 200; ++i) {
        if (stepping) d.screen().command(i % 2 ? Command::forward : Command::back);
        const auto t0 = std::chrono::steady_clock::now();
        d.frame();
        ms.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - t0).count());
    }
    std::nth_element(ms.begin(), ms.begin() + 100, ms.end());
    return ms[100];
}

} // namespace

int main() {
    for (const std::uint32_t slots : {8u, 64u, 1024u}) {
        DemoTrace demo(slots);
        while (demo.trace.events.size() < 100'000) {
            demo.head = demo.tail = 0;
            for (int i = 0; i < 40; ++i) demo.write(4096, slots);
            demo.put(EventKind::tail_set, 0, 0, demo.head);
            demo.put(EventKind::head_set, 0, 0, demo.head);
            demo.put(EventKind::ring_begin, 0, 0, 0, 0, slots, slots);
        }
        const std::size_t n = demo.trace.events.size();
        Driver d(Document::from_trace(std::move(demo.trace)));
        d.screen().seek(n / 2);
        for (int i = 0; i < 5; ++i) d.frame();
        std::printf("%5u slots  %zu events  still %.3f ms  stepping %.3f ms", slots, n, median_ms(d, false), median_ms(d, true));
        for (const auto& [tab, name] : {std::pair{Tab::locks, "locks"}, {Tab::ledger, "ledger"}, {Tab::costs, "costs"}, {Tab::ladder, "ladder"}}) {
            d.screen().selection().tab = tab;
            d.frame(); // reads all events, once
            std::printf("  %s %.3f ms", name, median_ms(d, true));
        }
        std::printf("\n");
    }
    return 0;
}
#else
int main() { return 0; } // built without the window: nothing to measure
#endif
