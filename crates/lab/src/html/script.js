"use strict";
// Values under the pointer, buttons to copy commands and to unfold, and links into what is folded.
// All else works without this.
(() => {
  const reveal = () => {
    const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    for (let one = target; one; one = one.parentElement) if (one.tagName === "DETAILS") one.open = true;
    target.scrollIntoView();
  };
  addEventListener("hashchange", reveal);
  reveal();
  const unfold = document.getElementById("unfold");
  if (unfold) {
    unfold.hidden = false;
    unfold.addEventListener("click", () => {
      const claims = [...document.querySelectorAll(".claim")], open = claims.some((one) => !one.open);
      for (const one of claims) one.open = open;
      unfold.textContent = open ? "fold all" : "unfold all";
    });
  }
  const tip = document.getElementById("tip");
  const hide = () => { tip.hidden = true; document.querySelectorAll(".cursor").forEach((one) => one.remove()); };
  const read = (curve) => curve.dataset.points.split(";").filter(Boolean).map((text) => {
    const [x, y, place, value] = text.split(",");
    return { x: +x, y: +y, place, value };
  });
  for (const svg of document.querySelectorAll("svg.chart")) {
    let curves = null;
    svg.querySelectorAll("title").forEach((title) => title.remove());
    const show = (event) => {
      curves ??= [...svg.querySelectorAll(".curve")].map((curve) => ({
        name: curve.dataset.name, colour: getComputedStyle(curve.querySelector(".line")).stroke, points: read(curve),
      }));
      const box = svg.getBoundingClientRect();
      const scale = svg.viewBox.baseVal.width / box.width;
      const x = (event.clientX - box.left) * scale, y = (event.clientY - box.top) * scale;
      const near = (points) => points.reduce((best, one) => Math.abs(one.x - x) < Math.abs(best.x - x) ? one : best);
      const rows = curves.filter((curve) => curve.points.length).map((curve) => ({ ...curve, point: near(curve.points) }));
      if (!rows.length) return;
      const nearest = rows.reduce((best, one) => Math.abs(one.point.x - x) < Math.abs(best.point.x - x) ? one : best).point.x;
      const here = rows.filter((row) => Math.abs(row.point.x - nearest) < 2);
      tip.replaceChildren();
      const place = document.createElement("b");
      place.textContent = here[0].point.place;
      tip.append(place);
      for (const row of here.sort((one, other) => one.point.y - other.point.y)) {
        const line = document.createElement("div"), dot = document.createElement("i");
        dot.style.background = row.colour;
        line.append(dot, row.name + (row.name ? ": " : "") + row.point.value);
        if (here.length > 1 && Math.abs(row.point.y - y) === Math.min(...here.map((one) => Math.abs(one.point.y - y)))) line.className = "near";
        tip.append(line);
      }
      let cursor = svg.querySelector(".cursor");
      if (!cursor) {
        hide();
        cursor = document.createElementNS("http://www.w3.org/2000/svg", "path");
        cursor.setAttribute("class", "cursor");
        svg.insertBefore(cursor, svg.querySelector("g"));
      }
      cursor.setAttribute("d", `M${nearest} 12V302`);
      tip.hidden = false;
      const left = event.clientX + 16, wide = tip.offsetWidth;
      tip.style.left = (left + wide > innerWidth - 8 ? Math.max(4, event.clientX - wide - 16) : left) + "px";
      tip.style.top = Math.max(4, Math.min(event.clientY + 14, innerHeight - tip.offsetHeight - 8)) + "px";
    };
    svg.addEventListener("pointermove", show);
    svg.addEventListener("pointerdown", show);
    svg.addEventListener("pointerleave", hide);
  }
  addEventListener("scroll", hide, { passive: true });
  if (!navigator.clipboard) return;
  for (const code of document.querySelectorAll(".command code, .commands code")) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "copy";
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(code.textContent);
      button.textContent = "copied";
      setTimeout(() => { button.textContent = "copy"; }, 1500);
    });
    code.after(button);
  }
})();
