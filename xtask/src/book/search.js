const input = document.getElementById("search");
const list = document.getElementById("found");
const base = document.body.dataset.base;

// The sections with all words: those with the words in their title first.
function search(query) {
  const words = query.toLowerCase().split(/\s+/).filter((word) => word);
  if (!words.length) return [];
  const inTitle = [];
  const inText = [];
  for (const [title, address, text] of INDEX) {
    const heading = title.toLowerCase();
    const all = heading + " " + text.toLowerCase();
    if (words.every((word) => heading.includes(word))) inTitle.push([title, address]);
    else if (words.every((word) => all.includes(word))) inText.push([title, address]);
  }
  return inTitle.concat(inText).slice(0, 20);
}

input.addEventListener("input", () => {
  list.replaceChildren(...search(input.value).map(([title, address]) => {
    const link = document.createElement("a");
    link.href = base + address;
    link.textContent = title;
    const item = document.createElement("li");
    item.append(link);
    return item;
  }));
});
