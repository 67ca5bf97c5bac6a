-- SPDX-License-Identifier: MIT
-- A touched page: present, one mapping, one reference, no part of anything larger.
local b = buffer("8K")
expect(page(b, 1).present, true)
expect(page(b, 1).refcount, 1)
expect(page(b, 1).mapcount, 1)
expect(page(b, 1).order, 0)
expect(page(b, 1).head, false)
expect(page(b, 1).tail, false)
expect(page(b, 1).zero, false)
expect(page(b, 1).huge, false)
