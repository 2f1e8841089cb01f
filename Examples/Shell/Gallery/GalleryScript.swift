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

          // Each component is decoded once, after the split: a slash that is written as %2F separates nothing.
          function components(link) {
            let rest = link.trim();
            const start = table.scheme + "://";
            if (rest.toLowerCase().startsWith(start)) rest = rest.slice(start.length);
            else if (rest.startsWith("/")) rest = rest.slice(1);
            else return null;
            rest = rest.split(/[?#]/)[0];
            const parts = rest.split("/");
            if (parts[parts.length - 1] === "") parts.pop();
            try {
              return parts.map(decodeURIComponent);
            } catch (error) {
              return null;
            }
          }

          function resolve(link) {
            const parts = components(link);
            if (!parts) return null;
            for (const entry of table.links) {
              if (entry.pattern.length !== parts.length) continue;
              const values = {};
              const fits = entry.pattern.every((piece, index) => {
                if (!piece.startsWith("{")) return piece === parts[index];
                values[piece.slice(1, -1)] = parts[index];
                return parts[index] !== "" && parts[index].length <= 128;
              });
              if (fits) {
                return { tab: entry.tab, path: entry.path.map((route) => ({ route, value: Object.values(values)[0] })) };
              }
            }
            return null;
          }

          function linkOf(place) {
            const top = place.path[place.path.length - 1];
            const tab = table.tabs.find((tab) => tab.id === place.tab);
            const route = top ? top.route : tab.route;
            const entry = table.links.find((entry) =>
              entry.tab === place.tab && (entry.path[entry.path.length - 1] || tab.route) === route);
            if (!entry) return null;
            return entry.pattern.map((piece) =>
              piece.startsWith("{") ? encodeURIComponent(top.value) : piece).join("/");
          }

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
            profile: () => ["Profile", card("Ada Example", "ada@example.com"), rows(row("Name", "Ada Example"),
              row("Two-step sign-in", "On"))],
            account: () => ["Account", card("Ada Example", "Team plan, 12 seats"), rows(row("Profile", "Name, sign-in", "profile"),
              row("Billing", "Next on 1 January"))],
            auth: () => ["Sign in", card("Welcome back", "Sign in to see what is protected.")],
          };

          let place = { tab: table.tabs[0].id, path: [] };
          // Each tab keeps the path that it was left with.
          const kept = {};

          function show(next, focus) {
            kept[place.tab] = place.path;
            place = next;
            const tab = table.tabs.find((one) => one.id === place.tab);
            for (const device of devices) {
              for (const one of table.tabs) {
                const button = document.getElementById(device + "-tab-" + one.id);
                const isSelected = one.id === place.tab;
                button.setAttribute("aria-selected", String(isSelected));
                button.tabIndex = isSelected ? 0 : -1;
                if (isSelected && focus === device) button.focus();
              }
              const top = place.path[place.path.length - 1];
              const [title, ...body] = screens[top ? top.route : tab.route](top ? top.value : undefined);
              const screen = document.getElementById(device + "-screen");
              screen.setAttribute("aria-labelledby", device + "-tab-" + place.tab);
              screen.replaceChildren(...(top ? [back(device)] : []), element("h4", {}, title), ...body);
              screen.scrollTop = 0;
            }
            const path = place.path.map((step) => step.route + (step.value === undefined ? "" : "(" + step.value + ")"));
            const where = document.getElementById("where");
            where.replaceChildren("Tab ", element("strong", {}, tab.title), ", path ",
              element("code", {}, "[" + path.join(", ") + "]"));
          }

          function back(device) {
            const tab = table.tabs.find((one) => one.id === place.tab);
            const button = element("button", { class: "back", type: "button" }, icon("back"), tab.title);
            button.addEventListener("click", () => {
              go({ tab: place.tab, path: place.path.slice(0, -1) });
              document.getElementById(device + "-screen").focus();
            });
            return button;
          }

          function say(text) {
            document.getElementById("where").textContent = text;
          }

          function go(next, focus) {
            show(next, focus);
            const link = linkOf(next);
            if (link) history.pushState(null, "", "#/" + link);
          }

          function follow() {
            const link = decodeHash(location.hash.slice(1));
            if (!link.startsWith("/") && !link.toLowerCase().startsWith(table.scheme + ":")) return;
            const next = resolve(link);
            document.getElementById("link").value = table.scheme + "://" + link.replace(/^\/|^[^:]*:\/\//, "");
            if (next) show(next); else say("No page of the app: " + link);
          }

          // Browsers write some characters of a fragment as escapes; only those of the scheme's colon and slashes are
          // undone here, for everything else is decoded by its component.
          function decodeHash(hash) {
            return hash.replace(/%3A/i, ":");
          }

          for (const device of devices) {
            const list = document.getElementById(device + "-tabs");
            list.addEventListener("click", (event) => {
              const button = event.target.closest("button");
              if (!button) return;
              const id = button.dataset.tab;
              // A tap on the tab that is shown goes back to its root, as on iOS.
              go({ tab: id, path: id === place.tab ? [] : kept[id] || [] });
            });
            list.addEventListener("keydown", (event) => {
              const count = table.tabs.length;
              const index = table.tabs.findIndex((one) => one.id === place.tab);
              const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, Home: -index, End: count - 1 - index };
              if (!(event.key in steps)) return;
              event.preventDefault();
              const id = table.tabs[(index + steps[event.key] + count) % count].id;
              go({ tab: id, path: kept[id] || [] }, device);
            });
          }
          document.getElementById("open").addEventListener("submit", (event) => {
            event.preventDefault();
            const link = document.getElementById("link").value;
            const next = resolve(link);
            if (next) go(next); else say("No page of the app: " + link);
          });
          window.addEventListener("hashchange", follow);
          window.addEventListener("popstate", follow);

          show(place);
          follow();
        })();
        """#
}
