"use strict";
/* The server sends the page as it should be.  What is there already is changed and not replaced: nothing flickers, what
   was unfolded or marked stays so, and lines move to their new places. */

const live = document.getElementById("live"), state = document.getElementById("state");

function keyOf(node) {
  return node.nodeName === "TR" && node.parentNode.nodeName === "TBODY" ? node.cells[0].textContent : null;
}

function change(old, fresh) {
  if (old.nodeType !== Node.ELEMENT_NODE) {
    if (old.data !== fresh.data) old.data = fresh.data;
    return;
  }
  for (const { name } of [...old.attributes])
    if (!fresh.hasAttribute(name) && name !== "open") old.removeAttribute(name);
  for (const { name, value } of fresh.attributes)
    if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  fill(old, fresh);
}

function fill(old, fresh) {
  const kept = new Map([...old.childNodes].map((child) => [keyOf(child), child]));
  let at = old.firstChild;
  for (const child of [...fresh.childNodes]) {
    const key = keyOf(child), match = key === null ? at : kept.get(key);
    if (match && match.nodeName === child.nodeName && keyOf(match) === key) {
      if (match === at) at = at.nextSibling;
      else old.insertBefore(match, at);
      change(match, child);
    } else old.insertBefore(child, at);
  }
  while (at) {
    const next = at.nextSibling;
    at.remove();
    at = next;
  }
}

function say(words, kind) {
  state.textContent = words;
  state.className = kind;
}

let lost = null;  // when the server was first found silent
let seen = live.dataset.version;

/* What is not ours, such as the error page of a proxy, must not take the place of the results. */
async function look() {
  try {
    const answer = await fetch(`now?seen=${seen}`, { signal: AbortSignal.timeout(30000) });
    if (!answer.ok) throw new Error(answer.status);
    if (answer.status === 200) {
      const { version, title, html } = await answer.json();
      document.title = title;
      fill(live, new DOMParser().parseFromString(html, "text/html").body);
      seen = version;
    }
    lost = null;
    say("live", "live");
  } catch {
    lost ??= new Date().toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
    say(`no answer from the server since ${lost}; trying again`, "lost");
  }
  setTimeout(look, 1000);
}

state.hidden = false;
look();
