"""Text that is too pale to read on a page in a browser: a contrast below 4.5, as WCAG 2.1 (AA) counts it."""

PALE = """
() => {
  const rgba = (text) => {
    const [r, g, b, a = 1] = text.match(/[\\d.e-]+/g).map(Number);
    return text.startsWith("color(") ? [255 * r, 255 * g, 255 * b, a] : [r, g, b, a];
  };
  const over = (front, back) => front.slice(0, 3).map((x, i) => x * front[3] + back[i] * (1 - front[3]));
  const light = (colour) => {
    const [r, g, b] = colour.map((x) => x / 255).map((x) => x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const parents = (node) => { const all = []; for (; node; node = node.parentElement) all.push(node); return all; };
  const pale = [], texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const node = texts.currentNode.parentElement;
    const text = texts.currentNode.data.trim();
    if (!text || !node.checkVisibility() || node.closest("svg, script, noscript, style")) continue;
    const behind = parents(node).map((one) => rgba(getComputedStyle(one).backgroundColor)).reverse();
    const paper = behind.reduce((back, front) => over(front, back), [255, 255, 255]);
    const ink = rgba(getComputedStyle(node).color);
    ink[3] *= parents(node).reduce((all, one) => all * getComputedStyle(one).opacity, 1);
    const [low, high] = [light(over(ink, paper)), light(paper)].sort((a, b) => a - b);
    const contrast = (high + 0.05) / (low + 0.05);
    const { fontSize, fontWeight } = getComputedStyle(node), size = parseFloat(fontSize);
    const large = size >= 24 || (size >= 18.66 && fontWeight >= 700);
    if (contrast < (large ? 3 : 4.5)) pale.push(`${contrast.toFixed(2)} ${node.className}: ${text}`);
  }
  return pale;
}
"""


def pale(page):
    """What cannot be read well, as ``contrast class: text``."""
    return page.evaluate(PALE)
