"""The page under fingers: one scrolls, two move and zoom the tree, a card comes as a sheet from below."""

from __future__ import annotations

import pytest

PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}


class Fingers:
    """Fingers on the screen of a phone."""

    def __init__(self, page) -> None:
        self.page = page
        self.session = page.context.new_cdp_session(page)

    def move(self, *ways: list[tuple[float, float]]) -> None:
        """Press a finger at the beginning of each way, take all along their ways, and lift them."""
        for kind, places in (
            ("touchStart", [way[0] for way in ways]),
            *(("touchMove", list(step)) for step in zip(*(way[1:] for way in ways), strict=True)),
            ("touchEnd", []),
        ):
            points = [{"x": x, "y": y, "id": at} for at, (x, y) in enumerate(places)]
            self.session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
            self.page.wait_for_timeout(30)


def line(start: tuple[float, float], by: tuple[float, float], steps: int = 12) -> list[tuple[float, float]]:
    """Places from a start on, so far in all."""
    return [(start[0] + by[0] * step / steps, start[1] + by[1] * step / steps) for step in range(steps + 1)]


@pytest.fixture(name="phone")
def page_on_a_phone(read, irises):
    return read(irises, **PHONE, reduced_motion="reduce")


def middle_of(reader) -> tuple[float, float]:
    box = reader.page.locator("#canvas").bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] - 40


def test_one_finger_scrolls_the_page_and_leaves_the_tree(phone) -> None:
    before = phone.picture()
    Fingers(phone.page).move(line(middle_of(phone), (0, -250)))
    phone.page.wait_for_function("() => window.scrollY > 100")
    assert phone.picture() == before


def test_two_fingers_move_the_tree_and_leave_the_page(phone) -> None:
    x, y = middle_of(phone)
    before = phone.picture()
    Fingers(phone.page).move(line((x - 30, y), (0, -120)), line((x + 30, y), (0, -120)))
    phone.wait_for_picture(before, other=True)
    assert phone.page.evaluate("scrollY") == 0
    moved = phone.picture()
    y -= 200  # above the map, which is there now
    Fingers(phone.page).move(line((x - 30, y), (-60, 0)), line((x + 30, y), (60, 0)))  # and zoom it
    phone.wait_for_picture(moved, other=True)
    assert phone.page.evaluate("visualViewport.scale") == 1


def test_a_node_that_is_tapped_comes_as_a_sheet_from_below(phone) -> None:
    side = phone.page.locator(".side")
    assert side.evaluate("side => getComputedStyle(side).position") != "fixed"
    box = phone.page.locator("#canvas").bounding_box()
    down = phone.page.locator("#tools").bounding_box()
    top = down["y"] + down["height"]
    for y in range(int(top) + 10, int(box["y"] + box["height"]), 12):  # until a card is met
        phone.page.touchscreen.tap(box["x"] + box["width"] * 0.3, y)
        if phone.text("#card h2") != "Node 0":
            break
    assert phone.text("#card h2") == "Leaf 1"
    assert side.evaluate("side => getComputedStyle(side).position") == "fixed"
    sheet = side.bounding_box()
    assert sheet["y"] + sheet["height"] == pytest.approx(740, abs=1)
    assert sheet["height"] < 370  # the tree stays in sight
    phone.page.get_by_role("button", name="Close").click()
    assert side.evaluate("side => getComputedStyle(side).position") != "fixed"
