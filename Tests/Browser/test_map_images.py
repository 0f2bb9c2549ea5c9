"""The map at `/map` with images of other hosts."""

import pictures
from test_map_search import filled, open_card, open_map

SETTINGS = {"SYSTEMS": "humon", "MAP_IMAGE_HOSTS": "pictures.test,*.pictures.test"}
ALLOWED = ("https://pictures.test/", "https://a.pictures.test/")


def test_loads_images_of_allowed_hosts_without_a_referrer(site):
    filled(site)
    with pictures.served(site) as requests:
        page = open_map(site)
        assert requests == [], requests
        open_card(page, "Late jazz")
        page.wait("document.querySelector('.card .image')?.naturalWidth === 1")
        assert requests == [("pictures.test", "/late.png", None)], requests
        assert page.evaluate("document.querySelector('.card .image').alt") == ""
        open_card(page, "Chess")
        page.wait("document.querySelector('.card .calendar')")
        assert page.evaluate("document.images.length") == 0
        open_card(page, "Missing picture")
        page.wait_until(lambda: len(requests) == 2, "the missing picture is requested")
        page.wait("document.images.length === 0")
        assert [host for host, _, _ in requests] == ["pictures.test", "a.pictures.test"], requests
        page.failures.clear()
