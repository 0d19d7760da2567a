// Graphs, drawn by force-graph where a page brought it: at most 150 nodes come from the server.
const drawn = new WeakMap();

function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function paint(node, context, scale) {
  const colours = { self: "--accent", memory: "--info", subject: "--ink-3", module: "--accent", file: "--ink-3" };
  const radius = node.size || (node.kind === "self" ? 7 : 5);
  context.beginPath();
  context.arc(node.x, node.y, radius, 0, 2 * Math.PI);
  context.fillStyle = colour("--sunken");
  context.fill();
  context.fillStyle = colour(colours[node.kind] || "--ink-3");
  context.globalAlpha = node.share === undefined ? 1 : 0.25 + 0.75 * node.share;
  context.fill();
  context.globalAlpha = 1;
  if (node.ring) {
    context.lineWidth = 1.5 / scale;
    context.strokeStyle = colour("--accent-ink");
    context.stroke();
  }
  const size = Math.max(11 / scale, 3);
  if (scale < 0.7 && !node.important) return;
  context.font = `${node.kind === "self" || node.important ? 500 : 400} ${size}px ${colour("--font")}`;
  context.textAlign = "center";
  context.textBaseline = "top";
  // A border in the colour of the ground keeps words readable where a line crosses them.
  context.lineWidth = 3 / scale;
  context.lineJoin = "round";
  context.strokeStyle = colour("--sunken");
  context.strokeText(node.label, node.x, node.y + radius + 3 / scale);
  context.fillStyle = colour(node.kind === "self" ? "--ink" : "--ink-2");
  context.fillText(node.label, node.x, node.y + radius + 3 / scale);
}

export function drawGraphs(root = document) {
  if (!window.ForceGraph) return;
  for (const element of root.querySelectorAll("[data-graph]")) {
    const values = element.dataset.graph;
    if (drawn.get(element) === values && element.firstChild) continue;
    element.replaceChildren();
    drawn.set(element, values);
    const fit = element.classList.contains("tall") ? Math.min(80, Math.max(64, element.clientWidth / 6)) : 48;
    const graph = new window.ForceGraph(element)
      .width(element.clientWidth)
      .height(element.clientHeight)
      .graphData(JSON.parse(values))
      .nodeCanvasObject(paint)
      .nodePointerAreaPaint((node, fill, context) => {
        context.fillStyle = fill;
        context.beginPath();
        context.arc(node.x, node.y, (node.size || 6) + 3, 0, 2 * Math.PI);
        context.fill();
      })
      .linkColor(() => colour("--line-strong"))
      .linkWidth((link) => Math.min(4, 0.6 + Math.log2(1 + (link.weight || 0)) / 2))
      .linkDirectionalArrowLength((link) => (link.weight ? 3 : 0))
      .linkDirectionalArrowRelPos(1)
      .cooldownTime(2500)
      .onNodeClick((node) => { if (node.href) window.location.href = node.href; })
      .onEngineStop(() => graph.zoomToFit(300, fit));
    graph.d3Force("charge").strength(element.classList.contains("tall") ? -420 : -360);
    graph.d3Force("link").distance(element.classList.contains("tall") ? 95 : 60);
    setTimeout(() => graph.zoomToFit(200, fit), 700);
    new ResizeObserver(() => graph.width(element.clientWidth).height(element.clientHeight)).observe(element);
  }
}
