extension Gallery {
    /// Set before anything is painted, so that no page flashes in the other theme.
    static let earlyScript = #"""
        (function () {
          for (const key of ["theme", "contrast"]) {
            let kept = null;
            // A browser may forbid a page to keep anything; the page then follows the system.
            try { kept = localStorage.getItem("shell-" + key); } catch (error) { kept = null; }
            if (kept) document.documentElement.dataset[key] = kept;
          }
        })();
        """#

    /// Switches, and the app in its two frames. The table of links is the one that the app itself routes by.
    static let script = #"""
        (function () {
          "use strict";
          const root = document.documentElement;
          const table = JSON.parse(document.getElementById("links").textContent);
          const icons = JSON.parse(document.getElementById("icons").textContent);
          const devices = ["phone", "tablet"];

          // Switches ---------------------------------------------------------------------------------------------

          for (const key of ["theme", "contrast"]) {
            const inputs = document.querySelectorAll('input[name="' + key + '"]');
            for (const input of inputs) {
              input.checked = input.value === (root.dataset[key] || "system");
              input.addEventListener("change", () => choose(key, input.value));
            }
          }

          function choose(key, value) {
            if (value === "system") delete root.dataset[key]; else root.dataset[key] = value;
            try {
              if (value === "system") localStorage.removeItem("shell-" + key);
              else localStorage.setItem("shell-" + key, value);
            } catch (error) {
              say("The browser keeps nothing for this page, so the choice ends with it.");
            }
          }

          // Links ------------------------------------------------------------------------------------------------

          const refuse = (why) => { throw new Refusal(why); };
          class Refusal extends Error {}

          // The components of a path, each decoded once and after the split: a slash written as %2F separates nothing.
          function components(link) {
            if (new Blob([link]).size > 8192) refuse("it is too long");
            if (/[\u0000-\u0020"<>\\^`{|}\u007f]/.test(link)) refuse("it has a character that must be escaped");
            const match = /^([A-Za-z][A-Za-z0-9+.-]*):\/\/([^?#]*)/.exec(link);
            if (!match) refuse("it does not begin with a scheme and ://");
            const scheme = match[1].toLowerCase();
            const parts = match[2].split("/");
            if (parts.length > 1 && parts[parts.length - 1] === "") parts.pop();
            if (scheme === "https") {
              if (!table.hosts.includes(parts.shift().toLowerCase())) refuse("it is of another host");
            } else if (scheme !== table.scheme) {
              refuse("it is of another app's scheme");
            } else {
              parts[0] = parts[0].toLowerCase();
            }
            if (parts.length === 1 && parts[0] === "") return [];
            return parts.map((part) => {
              if (part === "") refuse("a component of it is empty");
              let text;
              try { text = decodeURIComponent(part); } catch (error) { refuse("an escape in it is broken"); }
              if (new Blob([text]).size > 256) refuse("a component of it is too long");
              if (text === "." || text === "..") refuse("a component of it is . or ..");
              if (/[\u0000-\u001f\u007f-\u009f]/.test(text)) refuse("a control character is in it");
              return text;
            });
          }

          function resolve(link) {
            const parts = components(link);
            for (const entry of table.entries) {
              for (const pattern of entry.patterns) {
                if (pattern.length !== parts.length) continue;
                if (!pattern.every((piece, index) => piece.startsWith("{") || piece === parts[index])) continue;
                const index = pattern.findIndex((piece) => piece.startsWith("{"));
                return { entry, value: index < 0 ? undefined : parts[index] };
              }
            }
            return refuse("no route of the app has such a path");
          }

          function pathOf(step) {
            return step.entry.patterns[0].map((piece) =>
              piece.startsWith("{") ? encodeURIComponent(step.value) : piece).join("/");
          }

          // For tests: what a link is here has to be what it is in the app.
          window.shell = {
            read(link) {
              try {
                const { entry, value } = resolve(link);
                return { route: entry.name, tab: entry.tab, value: value === undefined ? null : value };
              } catch (error) {
                if (error instanceof Refusal) return { refused: error.message };
                throw error;
              }
            },
          };

          // What the app shows -----------------------------------------------------------------------------------

          const services = [
            ["identity", "Identity", "Sign-ins and sessions", "success"],
            ["network", "Network", "Traffic and firewalls", "warning"],
            ["mail", "Mail", "Phishing and attachments", "success"],
            ["devices", "Devices", "Laptops and phones", "success"],
          ];
          const alerts = [
            ["123", "Sign-in from a new place", "Zurich, 4 minutes ago", "error"],
            ["122", "Unusual outbound traffic", "Network, 2 hours ago", "warning"],
            ["118", "Certificate renewed", "Mail, yesterday", "success"],
          ];
          const states = { success: "All good", warning: "Needs a look", error: "Urgent" };

          function element(name, properties, ...children) {
            const made = document.createElement(name);
            for (const [key, value] of Object.entries(properties || {})) {
              if (key === "class") made.className = value; else made.setAttribute(key, value);
            }
            made.append(...children.filter((child) => child !== null));
            return made;
          }

          function icon(name) {
            const holder = document.createElement("template");
            holder.innerHTML = icons[name];
            return holder.content.firstElementChild;
          }

          function state(kind) {
            return [element("span", { class: "dot " + kind, "aria-hidden": "true" }),
              element("span", { class: "visually-hidden" }, states[kind] + ": ")];
          }

          function row(title, note, link, kind) {
            const inside = [...(kind ? state(kind) : []),
              element("div", { class: "grow" }, element("span", {}, title), note ? element("p", {}, note) : null)];
            return element("li", {}, link
              ? element("a", { href: "#/" + link }, ...inside, icon("forward"))
              : element("div", { class: "row" }, ...inside));
          }

          const rows = (...items) => element("ul", { class: "rows" }, ...items);
          const card = (title, note, big) => element("div", { class: "card" },
            big ? element("div", { class: "big" }, big) : null,
            element("strong", {}, title), note ? element("p", {}, note) : null);
          const serviceRows = () => services.map(([id, name, note, kind]) => row(name, note, "service/" + id, kind));

          const screens = {
            dashboard: () => ["Dashboard", card("You are protected", "Last checked a minute ago."),
              element("div", { class: "duo" }, card("open alerts", null, "2"), card("services", null, "4")),
              rows(...alerts.slice(0, 2).map(([id, name, note, kind]) => row(name, note, "alert/" + id, kind)))],
            services: () => ["Services", rows(...serviceRows())],
            service: (id) => {
              const [, name, note, kind] = services.find((one) => one[0] === id) || [id, "Service " + id, "", "success"];
              return [name, card(states[kind], note),
                element("div", { class: "duo" }, card("of requests seen", null, "100 %"), card("blocked today", null, "17"))];
            },
            alerts: () => ["Alerts", rows(...alerts.map(([id, name, note, kind]) => row(name, note, "alert/" + id, kind)))],
            alertDetail: (id) => {
              const [, name, note, kind] = alerts.find((one) => one[0] === id) || [id, "Alert " + id, "", "warning"];
              return [name, card(states[kind], note),
                card("What happened", "An account was used where it had not been used before."),
                card("What to do", "If it was not you, end the session and change the password.")];
            },
            settings: () => ["Settings", rows(row("Appearance", "As the system"), row("Notifications", "Urgent alerts alone"),
              row("Language", "English"))],
            account: () => ["Account", card("Ada Example", "Team plan, 12 seats"), rows(row("Profile", "Name and sign-in", "profile"),
              row("Billing", "Next on 1 January"))],
            profile: () => ["Profile", card("Ada Example", "ada@example.com"), rows(row("Name", "Ada Example"),
              row("Two-step sign-in", "On"))],
            search: () => ["Search", card("Nothing is searched for yet", "Services, alerts and people.")],
            searchResults: (text) => ["Results for " + text, rows(...serviceRows().slice(0, 2))],
            login: () => ["Sign in", card("Welcome back", "Sign in to see what is protected.")],
          };
          const roots = {};
          for (const entry of table.entries) if (entry.presentation === "root") roots[entry.tab] = entry;

          // Each tab keeps the stack that it was left with; a sheet or a front lies over them all.
          const stacks = {};
          for (const tab of table.tabs) stacks[tab.id] = [];
          let selected = table.tabs[0].id;
          let above = null;

          const top = () => above || stacks[selected][stacks[selected].length - 1] || { entry: roots[selected] };

          // A link sets tab and stack, wherever the app was before.
          function open(step) {
            above = null;
            const { presentation, tab } = step.entry;
            if (tab) selected = tab;
            if (presentation === "root") stacks[selected] = [];
            else if (presentation === "push") stacks[selected] = [step];
            else above = step;
            show();
          }

          function show(focus) {
            const inside = document.activeElement && document.activeElement.closest(".screen");
            const step = top();
            for (const device of devices) {
              for (const one of table.tabs) {
                const button = document.getElementById(device + "-tab-" + one.id);
                const isSelected = one.id === selected;
                button.setAttribute("aria-selected", String(isSelected));
                button.tabIndex = isSelected ? 0 : -1;
                if (isSelected && focus === device) button.focus();
              }
              const screen = document.getElementById(device + "-screen");
              const [title, ...body] = (screens[step.entry.name] || (() => [step.entry.name]))(step.value);
              screen.setAttribute("aria-labelledby", device + "-tab-" + selected);
              screen.classList.toggle("sheet", step === above);
              screen.replaceChildren(...(step.entry.presentation === "root" ? [] : [back(device)]),
                element("h4", {}, title), ...body);
              screen.scrollTop = 0;
            }
            // What had the focus is gone with the screen that it was on.
            if (inside) document.getElementById(inside.id).focus({ preventScroll: true });
            const tab = table.tabs.find((one) => one.id === selected);
            const path = stacks[selected].map((one) => pathOf(one));
            document.getElementById("where").replaceChildren("Tab ", element("strong", {}, tab.title), ", path ",
              element("code", {}, "[" + path.join(", ") + "]"), ...(above
                ? [", above it ", element("code", {}, pathOf(above))] : []));
          }

          function back(device) {
            const tab = table.tabs.find((one) => one.id === selected);
            const button = element("button", { class: "back", type: "button" },
              ...(above ? ["Close"] : [icon("back"), tab.title]));
            button.addEventListener("click", () => {
              if (above) above = null; else stacks[selected] = stacks[selected].slice(0, -1);
              show();
              note();
            });
            return button;
          }

          function say(text) {
            document.getElementById("where").textContent = text;
          }

          // Writes where the app is into the address, so that the address can be kept and gone back to.
          function note() {
            const path = pathOf(top());
            if (location.hash !== "#/" + path) history.pushState(null, "", "#/" + path);
            document.getElementById("link").value = table.scheme + "://" + path;
          }

          function follow(link) {
            try {
              open(resolve(link));
              return true;
            } catch (error) {
              if (!(error instanceof Refusal)) throw error;
              say("This leads nowhere: " + error.message + ".");
              return false;
            }
          }

          // The address has a link after its #, whole or as a path alone; anything else there is a place on this page.
          function followAddress() {
            const text = location.hash.slice(1);
            const isPath = text.startsWith("/");
            if (!isPath && !/^[A-Za-z][A-Za-z0-9+.-]*:/.test(text)) return;
            const link = isPath ? table.scheme + ":/" + text : text;
            document.getElementById("link").value = link;
            follow(link);
          }

          for (const device of devices) {
            const list = document.getElementById(device + "-tabs");
            list.addEventListener("click", (event) => {
              const button = event.target.closest("button");
              if (!button) return;
              // A tap on the tab that is shown goes back to its root, as on iOS.
              if (button.dataset.tab === selected && !above) stacks[selected] = [];
              chooseTab(button.dataset.tab);
            });
            list.addEventListener("keydown", (event) => {
              const count = table.tabs.length;
              const index = table.tabs.findIndex((one) => one.id === selected);
              const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, Home: -index, End: count - 1 - index };
              if (!(event.key in steps)) return;
              event.preventDefault();
              chooseTab(table.tabs[(index + steps[event.key] + count) % count].id, device);
            });
          }

          function chooseTab(id, focus) {
            above = null;
            selected = id;
            show(focus);
            note();
          }

          document.getElementById("open").addEventListener("submit", (event) => {
            event.preventDefault();
            if (follow(document.getElementById("link").value.trim())) note();
          });
          window.addEventListener("hashchange", followAddress);

          show();
          followAddress();
        })();
        """#
}
