extension Gallery {
    /// How the page itself looks; every colour, size and distance of it is one of the tokens.
    static let style = #"""
        *, *::before, *::after { box-sizing: border-box; }
        html { scroll-behavior: smooth; scroll-padding-top: 6rem; -webkit-text-size-adjust: 100%; }
        body {
          margin: 0; background: var(--color-bg-primary); color: var(--color-text-primary);
          font: var(--typography-body); letter-spacing: var(--typography-body-spacing);
          -webkit-font-smoothing: antialiased; text-rendering: optimizeLegibility;
        }
        h1, h2, h3, h4, p, dl, dd, ol, ul, figure { margin: 0; }
        ol, ul { padding: 0; list-style: none; }
        button, input { font: inherit; letter-spacing: inherit; color: inherit; }
        button { cursor: pointer; }
        code, .mono { font-family: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, monospace; font-size: .8125rem; }
        a { color: var(--color-brand-primary); text-underline-offset: .2em; }
        :focus-visible { outline: 3px solid var(--color-brand-primary); outline-offset: 3px; border-radius: 6px; }
        .visually-hidden {
          position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden; clip-path: inset(50%);
          white-space: nowrap;
        }
        .skip {
          position: fixed; inset: var(--spacing-sm) auto auto var(--spacing-sm); z-index: 10;
          padding: var(--spacing-sm) var(--spacing-md); border-radius: 8px; transform: translateY(-200%);
          background: var(--color-text-primary); color: var(--color-bg-primary);
        }
        .skip:focus { transform: none; }

        .bar {
          position: sticky; top: 0; z-index: 5; border-bottom: 1px solid var(--line);
          background: color-mix(in srgb, var(--color-bg-primary) 92%, transparent); backdrop-filter: blur(12px);
        }
        .bar-inner {
          display: flex; flex-wrap: wrap; align-items: center; gap: var(--spacing-sm) var(--spacing-lg);
          max-width: 76rem; margin: 0 auto; padding: .75rem var(--spacing-lg);
        }
        .wordmark { display: flex; align-items: center; gap: .625rem; font-weight: 650; letter-spacing: -.01em; }
        .wordmark svg { width: 1.75rem; height: 1.75rem; }
        .bar nav { margin-inline-end: auto; overflow-x: auto; scrollbar-width: none; }
        .bar nav ul { display: flex; gap: var(--spacing-lg); }
        .bar nav a {
          color: var(--color-text-secondary); font-size: .9375rem; text-decoration: none; white-space: nowrap;
        }
        .bar nav a:hover { color: var(--color-text-primary); text-decoration: underline; }
        .switches { display: flex; flex-wrap: wrap; gap: var(--spacing-sm); }
        .switch {
          display: inline-flex; margin: 0; padding: 3px; border: 0; border-radius: 10px; min-width: 0;
          background: var(--color-bg-tertiary);
        }
        .switch label { position: relative; display: block; }
        .switch input { position: absolute; inset: 0; margin: 0; opacity: 0; cursor: pointer; }
        .switch span {
          display: block; padding: .3125rem .75rem; border-radius: 7px; font-size: .8125rem; line-height: 1.25;
          color: var(--color-text-primary);
        }
        .switch input:checked + span {
          background: var(--color-bg-primary); box-shadow: 0 1px 3px rgb(0 0 0 / .16); font-weight: 600;
        }
        .switch input:focus-visible + span { outline: 3px solid var(--color-brand-primary); outline-offset: 1px; }

        main { max-width: 76rem; margin: 0 auto; padding: 0 var(--spacing-lg); }
        .hero {
          display: grid; grid-template-columns: minmax(0, 1fr) auto; align-items: center; gap: var(--spacing-xxl);
          padding: clamp(3.5rem, 7vw, 6rem) 0;
        }
        .hero-text { max-width: 44rem; }
        .mosaic { display: grid; grid-template-columns: repeat(4, 5rem); gap: .625rem; }
        .mosaic span {
          height: 5rem; border-radius: var(--radius-lg, 16px); box-shadow: inset 0 0 0 1px var(--line);
        }
        .mosaic span:nth-child(4n + 2) { border-radius: 50%; }
        .hero h1 {
          font-size: clamp(2.5rem, 6vw, 4rem); line-height: 1.05; font-weight: 700; letter-spacing: -.035em;
          text-wrap: balance;
        }
        .hero p {
          margin-top: var(--spacing-lg); font-size: 1.25rem; line-height: 1.55; color: var(--color-text-secondary);
          max-width: 38rem; text-wrap: pretty;
        }
        .facts { display: flex; flex-wrap: wrap; gap: var(--spacing-xl); margin-top: var(--spacing-xxl); }
        .facts dt { font-size: .875rem; color: var(--color-text-secondary); }
        .facts dd { font-size: 1.75rem; font-weight: 650; letter-spacing: -.02em; font-variant-numeric: tabular-nums; }
        .facts div { display: flex; flex-direction: column-reverse; }

        section { padding: clamp(3.5rem, 7vw, 6rem) 0; border-top: 1px solid var(--line); }
        .section-head { max-width: 42rem; margin-bottom: var(--spacing-xxl); }
        h2 { font-size: 2rem; line-height: 1.15; font-weight: 680; letter-spacing: -.025em; }
        .section-head p { margin-top: .75rem; color: var(--color-text-secondary); font-size: 1.0625rem; line-height: 1.6; }
        h3 { font-size: 1.0625rem; font-weight: 620; letter-spacing: -.01em; margin: var(--spacing-xl) 0 var(--spacing-md); }
        .section-head + h3 { margin-top: 0; }

        .swatches {
          display: grid; gap: var(--spacing-lg); grid-template-columns: repeat(auto-fill, minmax(min(20rem, 100%), 1fr));
        }
        .swatch {
          border: 1px solid var(--line); border-radius: 16px; overflow: hidden; background: var(--color-bg-primary);
        }
        .chips { display: grid; grid-template-columns: 1fr 1fr; grid-template-rows: 5.5rem 1.75rem; }
        .chips span { display: block; }
        .swatch-body { padding: var(--spacing-md); border-top: 1px solid var(--line); }
        .swatch-name { font-weight: 620; }
        .swatch-about { margin-top: .125rem; font-size: .875rem; line-height: 1.45; color: var(--color-text-secondary); }
        .values { display: grid; grid-template-columns: 1fr auto 2.75rem; gap: .25rem .75rem; margin-top: var(--spacing-md); font-size: .8125rem; }
        .values div { display: contents; }
        .number { text-align: end; font-variant-numeric: tabular-nums; color: var(--color-text-secondary); }
        .values dt { color: var(--color-text-secondary); }
        .swatch .property { display: block; margin-top: .75rem; color: var(--color-text-secondary); overflow-wrap: anywhere; }

        .ramp { display: grid; grid-template-columns: repeat(auto-fill, minmax(7.5rem, 1fr)); gap: var(--spacing-sm); }
        .ramp li { font-size: .8125rem; line-height: 1.4; }
        .ramp span { display: block; height: 3rem; border-radius: 10px; margin-bottom: .375rem; box-shadow: inset 0 0 0 1px var(--line); }
        .ramp code { display: block; color: var(--color-text-secondary); }

        .primitives { margin-top: var(--spacing-xl); }
        .primitives summary { cursor: pointer; font-weight: 620; width: fit-content; }
        .primitives h4 { margin: var(--spacing-lg) 0 var(--spacing-sm); font-size: .9375rem; font-weight: 560; color: var(--color-text-secondary); }

        .table-wrap { overflow-x: auto; border: 1px solid var(--line); border-radius: 16px; }
        table { width: 100%; border-collapse: collapse; font-size: .9375rem; font-variant-numeric: tabular-nums; }
        th, td { padding: .625rem var(--spacing-md); text-align: start; white-space: nowrap; }
        thead th { font-size: .8125rem; font-weight: 560; color: var(--color-text-secondary); background: var(--color-bg-secondary); }
        tbody tr + tr > * { border-top: 1px solid var(--line); }
        tbody th { font-weight: 520; }
        td, thead th + th { text-align: end; }
        .pair { display: flex; align-items: center; gap: .75rem; }
        .sample {
          display: inline-grid; place-items: center; width: 2.5rem; height: 1.75rem; border-radius: 7px; font-size: .875rem;
          font-weight: 620; box-shadow: inset 0 0 0 1px var(--line);
        }
        .sample i { width: 1rem; height: 1rem; border: 3px solid currentColor; border-radius: 50%; }
        .fails { color: var(--color-error); font-weight: 650; }

        .specimens > li { display: grid; gap: .25rem var(--spacing-xl); padding: var(--spacing-lg) 0; grid-template-columns: 13rem 1fr; align-items: baseline; }
        .specimens > li + li { border-top: 1px solid var(--line); }
        .specimens .meta { font-size: .875rem; line-height: 1.5; color: var(--color-text-secondary); }
        .specimens .meta strong { display: block; color: var(--color-text-primary); font-size: .9375rem; font-weight: 620; }
        .specimens .text { overflow-wrap: anywhere; text-wrap: balance; }

        .steps { display: flex; flex-wrap: wrap; align-items: end; gap: var(--spacing-xl) var(--spacing-xxl); }
        .steps li { font-size: .875rem; line-height: 1.5; }
        .steps .block { display: block; aspect-ratio: 1; margin-bottom: .75rem; border-radius: 3px; background: var(--color-brand-primary); }
        .steps code { color: var(--color-text-secondary); }
        .steps strong { display: block; font-weight: 620; font-size: .9375rem; }

        .shapes { display: grid; gap: var(--spacing-lg); grid-template-columns: repeat(auto-fill, minmax(10rem, 1fr)); }
        .shapes li { font-size: .875rem; line-height: 1.5; }
        .shapes .shape {
          display: block; height: 6rem; margin-bottom: .75rem; background: var(--color-bg-secondary);
          border: 1px solid var(--line);
        }
        .shapes .glyphs { display: block; margin-bottom: .5rem; font-size: 1.75rem; line-height: 1.3; }
        .shapes .lifted { border-color: transparent; border-radius: 14px; background: var(--color-bg-primary); }
        .shapes .track { position: relative; overflow: hidden; border-radius: 14px; }
        .shapes .runner {
          position: absolute; inset: 50% auto auto 1rem; width: 1.5rem; height: 1.5rem; margin-top: -.75rem;
          border-radius: 50%; background: var(--color-brand-primary);
        }
        .shapes li:hover .runner, .shapes .track:focus-visible .runner { inset-inline-start: calc(100% - 2.5rem); }
        .shapes strong { display: block; font-weight: 620; }
        .shapes code { color: var(--color-text-secondary); overflow-wrap: anywhere; }

        .linkbar { display: flex; flex-wrap: wrap; gap: var(--spacing-sm); align-items: end; max-width: 44rem; }
        .linkbar .field { flex: 1 1 18rem; }
        .linkbar label { display: block; margin-bottom: .375rem; font-size: .875rem; color: var(--color-text-secondary); }
        .linkbar input {
          width: 100%; padding: .625rem .875rem; border: 1px solid var(--color-border); border-radius: 10px;
          background: var(--color-bg-primary);
        }
        .button {
          padding: .625rem 1.125rem; border: 1px solid transparent; border-radius: 10px; font-weight: 600;
          background: var(--color-text-primary); color: var(--color-bg-primary);
        }
        .examples { display: flex; flex-wrap: wrap; gap: .5rem; margin: var(--spacing-md) 0 0; }
        .examples a {
          display: inline-block; padding: .25rem .625rem; border: 1px solid var(--line); border-radius: 99px;
          text-decoration: none; color: var(--color-text-primary);
        }
        .examples a:hover { background: var(--color-bg-tertiary); }
        .where { min-height: 1.5em; margin: var(--spacing-md) 0 var(--spacing-xl); color: var(--color-text-secondary); }
        .where strong { color: var(--color-text-primary); font-weight: 600; }

        .devices { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: var(--spacing-xxl); align-items: start; }
        .device h3 { margin-top: 0; }
        .frame {
          display: flex; overflow: hidden; background: var(--color-bg-primary); border: 9px solid #0b0f19;
          box-shadow: 0 0 0 1px var(--line), 0 24px 60px -20px rgb(0 0 0 / .35);
        }
        .phone .frame { flex-direction: column; width: 20.5rem; max-width: 100%; height: 42rem; border-radius: 44px; }
        .tablet .frame { height: 34rem; border-radius: 28px; border-width: 12px; container-type: inline-size; }
        .status {
          display: flex; justify-content: space-between; padding: .75rem 1.75rem .25rem; font-size: .8125rem; font-weight: 620;
        }
        .tabs { display: flex; background: var(--color-bg-secondary); }
        .tabs button {
          display: flex; align-items: center; gap: .25rem; border: 0; background: none; color: var(--color-text-secondary);
          font-size: .6875rem; font-weight: 560; line-height: 1.2;
        }
        .tabs svg { width: 1.5rem; height: 1.5rem; flex: none; }
        .tabs button[aria-selected="true"] { color: var(--color-brand-primary); }
        .tabs button:focus-visible { outline-offset: -3px; border-radius: 12px; }
        .phone .tabs { border-top: 1px solid var(--line); padding: .375rem .25rem 1.25rem; }
        .phone .tabs button { flex: 1; flex-direction: column; padding: .375rem 0; min-width: 0; font-size: .625rem; letter-spacing: -.02em; }
        .tablet .tabs { flex-direction: column; width: 12rem; flex: none; padding: 1.5rem .75rem; gap: .125rem; border-inline-end: 1px solid var(--line); }
        .tablet .tabs button { gap: .75rem; padding: .625rem .75rem; border-radius: 10px; font-size: .9375rem; text-align: start; }
        .tablet .tabs button[aria-selected="true"] { background: var(--color-bg-tertiary); color: var(--color-text-primary); }
        @container (max-width: 34rem) {
          .tablet .tabs { width: 4rem; }
          .tablet .tabs button { justify-content: center; padding: .625rem 0; }
          .tablet .tabs button span {
            position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%);
          }
        }
        .screen { flex: 1; min-width: 0; min-height: 0; overflow-y: auto; padding: .5rem 1.25rem 1.5rem; }
        .tablet .screen { padding: 1.75rem 2rem; }
        .screen.sheet { margin-top: 1.25rem; border-radius: 18px 18px 0 0; background: var(--color-bg-secondary); box-shadow: var(--shadow-overlay); }
        .screen.sheet .card, .screen.sheet .rows { background: var(--color-bg-primary); }
        .screen:focus-visible { outline-offset: -4px; }
        .back {
          display: inline-flex; align-items: center; gap: .125rem; margin: 0 0 .25rem -.375rem; padding: .25rem .375rem;
          border: 0; background: none; color: var(--color-brand-primary); font-size: .9375rem;
        }
        .back svg { width: 1.125rem; height: 1.125rem; }
        .screen h4 { font-size: 1.625rem; line-height: 1.2; font-weight: 700; letter-spacing: -.02em; margin: .25rem 0 1rem; }
        .card { padding: 1rem; border-radius: 14px; background: var(--color-bg-secondary); margin-bottom: .75rem; }
        .card strong { display: block; font-weight: 620; }
        .card p, .rows p { font-size: .875rem; line-height: 1.45; color: var(--color-text-secondary); }
        .big { font-size: 2rem; font-weight: 700; letter-spacing: -.02em; line-height: 1.1; }
        .duo strong { font-size: .875rem; font-weight: 450; color: var(--color-text-secondary); margin-top: .125rem; }
        .duo { display: grid; grid-template-columns: 1fr 1fr; gap: .75rem; }
        .rows { border-radius: 14px; background: var(--color-bg-secondary); overflow: hidden; }
        .rows li + li { border-top: 1px solid var(--line); }
        .rows a, .rows .row {
          display: flex; align-items: center; gap: .75rem; padding: .75rem 1rem; color: inherit; text-decoration: none;
        }
        .rows a:hover { background: var(--color-bg-tertiary); }
        .rows a:focus-visible { outline-offset: -3px; border-radius: 14px; }
        .rows .grow { flex: 1; min-width: 0; }
        .rows svg { width: 1rem; height: 1rem; color: var(--color-text-secondary); flex: none; }
        .dot { width: .625rem; height: .625rem; border-radius: 50%; flex: none; }
        .dot.success { background: var(--color-success); }
        .dot.warning { background: var(--color-warning); }
        .dot.error { background: var(--color-error); }

        footer { border-top: 1px solid var(--line); }
        footer p { max-width: 76rem; margin: 0 auto; padding: var(--spacing-xl) var(--spacing-lg) var(--spacing-xxl); font-size: .875rem; color: var(--color-text-secondary); }

        @media (max-width: 60rem) {
          .hero { grid-template-columns: minmax(0, 1fr); }
          .mosaic { grid-template-columns: repeat(8, minmax(0, 1fr)); }
          .mosaic span { height: auto; aspect-ratio: 1; }
          .devices { grid-template-columns: minmax(0, 1fr); justify-items: center; }
          .device { width: 100%; }
          .phone .frame { margin: 0 auto; }
        }
        @media (max-width: 40rem) {
          .bar { position: static; }
          .specimens > li { grid-template-columns: minmax(0, 1fr); }
        }
        @media (prefers-reduced-motion: no-preference) {
          .runner { transition-property: inset-inline-start; transition-duration: 300ms; }
          .tabs button, .examples a { transition: background-color 150ms, color 150ms; }
        }
        @media (prefers-reduced-motion: reduce) {
          html { scroll-behavior: auto; }
          .shapes li .runner { transition: none !important; }
        }
        @media (forced-colors: active) {
          .chips span, .ramp span, .sample, .dot, .block { forced-color-adjust: none; }
          .switch input:checked + span { outline: 2px solid; }
        }
        @media print { .bar, .skip, #app { display: none; } }
        """#
}
