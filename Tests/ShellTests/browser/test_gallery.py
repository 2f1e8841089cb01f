"""The gallery in a browser: what `shell export --html` wrote, as a person with Chromium gets it.

Run by `make` and CI with the page and the tool in the environment:

    SHELL_TOOL=.build/debug/Shell SHELL_ARTIFACTS=artifacts pytest Tests/ShellTests/browser

SHELL_TOOL writes the page and reads links; SHELL_ARTIFACTS, where it is set, keeps the screenshots.
"""

import importlib.resources
import itertools
import json
import os
import pathlib
import re
import shutil
import subprocess

import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

ROOT = pathlib.Path(__file__).resolve().parents[3]
DESIGN = ROOT / "Examples/Shell/Design/shieldai.resolver.json"
TOOL = os.environ.get("SHELL_TOOL", str(ROOT / ".build/debug/Shell"))
CHROMIUM = shutil.which("chromium")
DRIVER = shutil.which("chromedriver")
TABS = ["dashboard", "services", "alerts", "settings", "account"]

if CHROMIUM is None or DRIVER is None:
    pytest.skip("Chromium and its driver are missing (Debian: chromium, chromium-driver)", allow_module_level=True)


def run(*arguments):
    return subprocess.run([TOOL, *arguments], cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.fixture(scope="session")
def page(tmp_path_factory):
    folder = tmp_path_factory.mktemp("gallery")
    result = run("export", str(DESIGN), "--out", str(folder), "--html", "--css")
    assert result.returncode == 0, result.stderr
    return folder / "gallery.html"


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    profile = tmp_path_factory.mktemp("profile")
    for argument in ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", f"--user-data-dir={profile}"]:
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(executable_path=DRIVER))
    yield driver
    driver.quit()


@pytest.fixture
def gallery(browser, page):
    """The page, fresh: nothing kept, nothing emulated; at the end nothing may have gone wrong in it."""
    media(browser)
    size(browser, 1280, 900)
    browser.get(page.as_uri())
    browser.execute_script("localStorage.clear()")
    browser.get("about:blank")
    browser.get_log("browser")
    browser.get_log("performance")
    browser.get(page.as_uri())
    yield browser
    assert browser.get_log("browser") == []
    urls = requests(browser)
    assert all(url.startswith((page.as_uri(), "data:", "about:")) for url in urls), urls


def requests(browser):
    messages = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    return [m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"]


def media(browser, **features):
    # Without motion, unless a test is about it: a page that still scrolls is clicked in the wrong place.
    features = {"prefers_reduced_motion": "reduce", **features}
    browser.execute_cdp_cmd(
        "Emulation.setEmulatedMedia",
        {"features": [{"name": name.replace("_", "-"), "value": value} for name, value in features.items()]},
    )


def size(browser, width, height):
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False},
    )


def keep(browser, name):
    folder = os.environ.get("SHELL_ARTIFACTS")
    if not folder:
        return
    pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
    width = browser.execute_script("return innerWidth")
    height = browser.execute_script("return document.documentElement.scrollHeight")
    size(browser, width, height)
    browser.save_screenshot(str(pathlib.Path(folder) / f"gallery-{name}.png"))
    size(browser, width, 900)


def choose(browser, name, value):
    browser.find_element(By.CSS_SELECTOR, f"input[name={name}][value={value}]").click()


def selected_tabs(browser):
    script = "return [...document.querySelectorAll('[role=tab][aria-selected=true]')].map((one) => one.dataset.tab)"
    return browser.execute_script(script)


def titles(browser):
    return browser.execute_script("return [...document.querySelectorAll('.screen h4')].map((one) => one.textContent)")


def where(browser):
    return browser.find_element(By.ID, "where").text


def design_colours():
    """Every role's colour as the file says it, read without the code that is tested."""
    document = json.loads(DESIGN.read_text())
    values = {}

    def collect(node, path):
        for name, child in node.items():
            if name.startswith("$") or not isinstance(child, dict):
                continue
            if "$value" in child:
                values[".".join([*path, name])] = child["$value"]
            else:
                collect(child, [*path, name])

    def resolved(theme, contrast):
        values.clear()
        for step in document["resolutionOrder"]:
            _, kind, name = step["$ref"].split("/")
            if kind == "sets":
                sources = document["sets"][name]["sources"]
            else:
                sources = document["modifiers"][name]["contexts"][{"theme": theme, "contrast": contrast}[name]]
            for source in sources:
                collect(source, [])

        def follow(value):
            while isinstance(value, str):
                value = values[value.strip("{}")]
            return value["hex"]

        return {name[6:]: follow(value) for name, value in values.items() if name.startswith("color.")}

    return {(t, c): resolved(t, c) for t in ["light", "dark"] for c in ["normal", "increased"]}


def computed_colours(browser, names):
    properties = {name: "--color-" + re.sub("([A-Z])", lambda m: "-" + m[1].lower(), name) for name in names}
    script = """
        const probe = document.body.appendChild(document.createElement("i"));
        const found = {};
        for (const [name, property] of Object.entries(arguments[0])) {
          probe.style.color = "var(" + property + ")";
          const parts = getComputedStyle(probe).color.match(/\\d+/g).slice(0, 3);
          found[name] = "#" + parts.map((part) => Number(part).toString(16).padStart(2, "0")).join("");
        }
        probe.remove();
        return found;
    """
    return browser.execute_script(script, properties)


# Colours ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("contrast", ["normal", "increased"])
def test_colours_are_those_of_the_tokens_by_system_and_by_switch(gallery, theme, contrast):
    expected = design_colours()[theme, contrast]
    assert len(expected) == 16
    more = "more" if contrast == "increased" else "no-preference"
    media(gallery, prefers_color_scheme=theme, prefers_contrast=more)
    assert computed_colours(gallery, expected) == expected

    # The switch says otherwise than the system.
    media(gallery, prefers_color_scheme="light" if theme == "dark" else "dark", prefers_contrast="no-preference")
    choose(gallery, "theme", theme)
    if contrast == "increased":
        choose(gallery, "contrast", "more")
    assert computed_colours(gallery, expected) == expected
    background = gallery.execute_script("return getComputedStyle(document.body).backgroundColor")
    assert background == "rgb({}, {}, {})".format(*bytes.fromhex(expected["bgPrimary"][1:]))
    keep(gallery, f"{theme}-{contrast}")


def test_every_token_is_shown(gallery):
    names = json.loads(run("tokens", "check", str(DESIGN), "--json").stdout)
    assert names["passes"] is True
    shown = gallery.execute_script(
        "return [...document.querySelectorAll('[data-token]')].map((one) => one.dataset.token)"
    )
    assert len(shown) == len(set(shown))
    properties = set(
        re.findall(r"^  (--[a-z0-9-]+):", gallery.find_element(By.ID, "tokens").get_attribute("textContent"), re.M)
    )
    parts = "family|size|weight|spacing|line-height"
    tokens = {name for name in properties if not re.fullmatch(rf"--typography-.*-({parts})", name)}
    kebab = {"--" + re.sub("([a-z0-9])([A-Z])", r"\1-\2", name).lower().replace(".", "-") for name in shown}
    assert kebab == tokens


def test_the_page_has_the_exported_css_in_it(gallery, page):
    css = (page.parent / "tokens.css").read_text()
    assert css in page.read_text()


# The theme -------------------------------------------------------------------------------------------


def test_the_theme_survives_a_reload_and_system_forgets_it(gallery):
    media(gallery, prefers_color_scheme="light")
    choose(gallery, "theme", "dark")
    gallery.refresh()
    assert gallery.execute_script("return document.documentElement.dataset.theme") == "dark"
    assert gallery.find_element(By.CSS_SELECTOR, "input[name=theme][value=dark]").is_selected()
    choose(gallery, "theme", "system")
    gallery.refresh()
    assert gallery.execute_script("return document.documentElement.dataset.theme ?? null") is None
    assert gallery.execute_script("return localStorage.length") == 0


# Links -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fragment", ["shieldai://alert/123", "/alert/123", "https://shieldai.example/alert/123"])
def test_a_link_in_the_address_sets_tab_and_path(gallery, page, fragment):
    gallery.get(f"{page.as_uri()}#{fragment}")
    gallery.refresh()
    assert selected_tabs(gallery) == ["alerts", "alerts"]
    assert titles(gallery) == ["Sign-in from a new place"] * 2
    assert "path [alert/123]" in where(gallery)


def test_a_link_replaces_the_path_and_does_not_lie_on_it(gallery, page):
    gallery.get(f"{page.as_uri()}#/alert/123")
    gallery.execute_script("location.hash = '/alert/122'")
    wait(gallery, lambda: "[alert/122]" in where(gallery))
    assert titles(gallery) == ["Unusual outbound traffic"] * 2
    gallery.back()
    wait(gallery, lambda: "[alert/123]" in where(gallery))


def test_a_link_that_leads_nowhere_says_so_and_changes_nothing(gallery):
    field = gallery.find_element(By.ID, "link")
    field.clear()
    field.send_keys("shieldai://nowhere", Keys.ENTER)
    assert where(gallery).startswith("This leads nowhere")
    assert selected_tabs(gallery) == ["dashboard", "dashboard"]


def test_a_sheet_lies_over_its_tab_and_closes(gallery, page):
    gallery.get(f"{page.as_uri()}#/profile")
    assert selected_tabs(gallery) == ["account", "account"]
    assert titles(gallery) == ["Profile", "Profile"]
    gallery.find_element(By.CSS_SELECTOR, "#phone-screen .back").click()
    assert titles(gallery) == ["Account", "Account"]


LINKS = [
    "shieldai://alert/123",
    "SHIELDAI://ALERT/123",
    "shieldai://alert/123/",
    "shieldai://alert/123//",
    "shieldai://alert",
    "shieldai://alert//123",
    "shieldai://alert/%31%32%33",
    "shieldai://alert/a%2Fb",
    "shieldai://alert/%252F",
    "shieldai://alert/%2",
    "shieldai://alert/%FF",
    "shieldai://alert/%00",
    "shieldai://alert/..",
    "shieldai://alert/%2e%2e",
    "shieldai://alert/é",
    "shieldai://alert/%C3%A9",
    "shieldai://alert/a b",
    "shieldai://alert/1?x=2#y",
    "shieldai://",
    "shieldai:///",
    "shieldai:alert/123",
    "other://alert/123",
    "http://shieldai.example/alert/1",
    "https://shieldai.example/alert/1",
    "https://SHIELDAI.example/alert/1",
    "https://shieldai.example/ALERT/1",
    "https://shieldai.example",
    "https://shieldai.example/",
    "https://evil.example/alert/1",
    "https://u@shieldai.example/alert/1",
    "https://shieldai.example:443/alert/1",
    "shieldai://search",
    "shieldai://search/",
    "shieldai://search/a%20b",
    "shieldai://auth/login",
    "shieldai://profile",
    "shieldai://service/" + "x" * 256,
    "shieldai://service/" + "x" * 257,
    "shieldai://service/" + "x" * 9000,
    "/alert/1",
]


def test_the_page_reads_links_as_the_app_does(gallery):
    lines = run("links", "check", "--json", *LINKS).stdout.splitlines()
    app = [json.loads(line) for line in lines]
    page = gallery.execute_script("return arguments[0].map((link) => window.shell.read(link))", LINKS)
    assert len(app) == len(LINKS)
    for link, in_app, on_page in zip(LINKS, app, page, strict=True):
        value = next(iter(in_app.get("parameters", {}).values()), None)
        expected = (in_app.get("route"), in_app.get("tab"), value)
        assert (on_page.get("route"), on_page.get("tab"), on_page.get("value")) == expected, (link, in_app, on_page)


# The keyboard ----------------------------------------------------------------------------------------


def active(browser):
    return browser.execute_script("return document.activeElement.id || document.activeElement.className")


def press(browser, *keys):
    for key in keys:
        browser.switch_to.active_element.send_keys(key)


def test_the_first_tab_stop_skips_to_the_content(gallery):
    press(gallery, Keys.TAB)
    assert active(gallery) == "skip"
    assert gallery.find_element(By.CLASS_NAME, "skip").rect["y"] >= 0
    press(gallery, Keys.ENTER)
    assert active(gallery) == "content"


@pytest.mark.parametrize("device", ["phone", "tablet"])
def test_tabs_rove_by_arrows_and_are_one_tab_stop(gallery, device):
    gallery.execute_script(f"document.getElementById('{device}-tab-dashboard').focus()")
    for key, tab in [
        (Keys.ARROW_RIGHT, "services"),
        (Keys.END, "account"),
        (Keys.ARROW_RIGHT, "dashboard"),
        (Keys.ARROW_LEFT, "account"),
        (Keys.HOME, "dashboard"),
        (Keys.ARROW_DOWN, "services"),
    ]:
        press(gallery, key)
        assert active(gallery) == f"{device}-tab-{tab}"
        assert selected_tabs(gallery) == [tab, tab]
    stops = gallery.execute_script(f"return document.querySelectorAll('#{device}-tabs [tabindex=\"0\"]').length")
    assert stops == 1


def test_whatever_has_the_focus_shows_it(gallery):
    press(gallery, Keys.TAB)
    seen = 0
    for _ in range(80):
        outline = gallery.execute_script("""
            const element = document.activeElement;
            if (element === document.body) return null;
            const shown = element.matches(".switch input") ? element.nextElementSibling : element;
            const style = getComputedStyle(shown);
            return [element.outerHTML.slice(0, 80), style.outlineStyle, parseFloat(style.outlineWidth)];
        """)
        if outline is None:
            break
        assert outline[1] != "none" and outline[2] >= 2, outline
        seen += 1
        press(gallery, Keys.TAB)
    assert seen > 20


def test_opening_a_row_keeps_the_focus_on_the_screen(gallery, page):
    gallery.get(f"{page.as_uri()}#/alerts")
    gallery.find_element(By.CSS_SELECTOR, "#tablet-screen .rows a").send_keys(Keys.ENTER)
    wait(gallery, lambda: "[alert/123]" in where(gallery))
    assert active(gallery) == "tablet-screen"


def wait(browser, condition):
    WebDriverWait(browser, 5, poll_frequency=0.02).until(lambda _: condition())


# What everybody can use ------------------------------------------------------------------------------


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(
    ("contrast", "width", "link"),
    [("system", 1280, "dashboard"), ("more", 1280, "alert/123"), ("system", 390, "profile")],
)
def test_axe_finds_nothing(gallery, theme, contrast, width, link):
    size(gallery, width, 900)
    choose(gallery, "theme", theme)
    choose(gallery, "contrast", contrast)
    gallery.execute_script("location.hash = '/' + arguments[0]", link)
    wait(gallery, lambda: gallery.find_element(By.ID, "link").get_property("value").endswith(link))
    # What is folded together is judged as well.
    gallery.execute_script("for (const one of document.querySelectorAll('details')) one.open = true")
    gallery.execute_script(importlib.resources.files("axe_playwright_python").joinpath("axe.min.js").read_text())
    result = gallery.execute_async_script("""
        const done = arguments[arguments.length - 1];
        axe.run(document, { resultTypes: ["violations"] }).then(done, (error) => done(String(error)));
    """)
    found = [
        (one["id"], node["html"][:200], node.get("failureSummary"))
        for one in result["violations"]
        for node in one["nodes"]
    ]
    assert found == []
    assert len(result["passes"]) > 20


@pytest.mark.parametrize("width", [320, 390, 768, 1280])
def test_nothing_is_wider_than_the_window(gallery, width):
    size(gallery, width, 844)
    assert gallery.execute_script("return innerWidth") == width
    assert gallery.execute_script("return document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    if width == 390:
        choose(gallery, "theme", "light")
        keep(gallery, "phone")


def test_headings_go_down_one_step_at_a_time(gallery):
    script = "return [...document.querySelectorAll('h1,h2,h3,h4,h5,h6')].map((one) => Number(one.tagName[1]))"
    levels = gallery.execute_script(script)
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(after - before <= 1 for before, after in itertools.pairwise(levels)), levels


def test_nothing_moves_for_whoever_wants_less_motion(gallery):
    script = """
        return [...document.querySelectorAll("*")].map((one) => getComputedStyle(one))
          .filter((style) => style.transitionDuration.split(", ").some((time) => parseFloat(time) > 0)).length;
    """
    media(gallery, prefers_reduced_motion="no-preference")
    assert gallery.execute_script(script) > 0
    media(gallery, prefers_reduced_motion="reduce")
    assert gallery.execute_script(script) == 0
    assert gallery.execute_script("return getComputedStyle(document.documentElement).scrollBehavior") == "auto"
