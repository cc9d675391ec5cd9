// Guidelines: the little of Markdown that people use, as elements made one by one, so that text can never become code.

const INLINE = /(\*\*(.+?)\*\*)|(\*(.+?)\*)|(_(.+?)_)|(`(.+?)`)|(\[(.+?)\]\((https?:\/\/[^\s)]+)\))/;

function element(name, content) {
  const made = document.createElement(name);
  if (content !== undefined) inline(made, content);
  return made;
}

function inline(parent, text) {
  let rest = text;
  while (rest) {
    const found = INLINE.exec(rest);
    if (!found) break;
    parent.append(rest.slice(0, found.index));
    if (found[2]) parent.append(element("strong", found[2]));
    else if (found[4] ?? found[6]) parent.append(element("em", found[4] ?? found[6]));
    else if (found[8]) {
      const code = document.createElement("code");
      code.textContent = found[8];
      parent.append(code);
    } else {
      const link = element("a", found[10]);
      Object.assign(link, { href: found[11], target: "_blank", rel: "noopener noreferrer" });
      parent.append(link);
    }
    rest = rest.slice(found.index + found[0].length);
  }
  parent.append(rest);
}

export function markdown(parent, text) {
  parent.replaceChildren();
  let list = null;
  let paragraph = [];
  const finish = () => {
    if (paragraph.length) parent.append(element("p", paragraph.join(" ")));
    paragraph = [];
    list = null;
  };
  let code = null;
  for (const line of text.split(/\r?\n/)) {
    if (line.startsWith("```")) {
      finish();
      code = code ? null : parent.appendChild(document.createElement("pre"));
      continue;
    }
    if (code) {
      code.append(`${line}\n`);
      continue;
    }
    const heading = /^(#{1,6})\s+(.*)$/.exec(line);
    const bullet = /^\s*(?:([-*+])|\d+[.)])\s+(.*)$/.exec(line);
    const quote = /^>\s?(.*)$/.exec(line);
    if (heading) {
      finish();
      parent.append(element(`h${Math.min(6, heading[1].length + 2)}`, heading[2]));
    } else if (bullet) {
      const kind = bullet[1] ? "UL" : "OL";
      if (!list || list.tagName !== kind) {
        finish();
        list = parent.appendChild(document.createElement(kind));
      }
      list.append(element("li", bullet[2]));
    } else if (quote) {
      finish();
      parent.append(element("blockquote", quote[1]));
    } else if (!line.trim()) finish();
    else if (list && /^\s/.test(line)) inline(list.lastChild, ` ${line.trim()}`);
    else {
      list = null;
      paragraph.push(line.trim());
    }
  }
  finish();
}
