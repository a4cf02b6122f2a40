(look, { languages, names, name, clock, digits }) => {
  // Calls `look` while the page shows the longest of what varies: in place of each date the longest
  // one of any language, and of each player's name, clock and number the longest that there can be.
  // Nothing is drawn in between, and the page does not notice.
  const DAY = 86_400_000;
  const ink = document.createElement("canvas").getContext("2d");
  ink.font = `650 20px ${getComputedStyle(document.body).fontFamily}`;
  const longest = (texts) =>
    [...texts].reduce((one, other) =>
      ink.measureText(other).width > ink.measureText(one).width ? other : one,
    );

  /** The words of dates, such as "Mi" and "Mittwoch", and the longest of the same kind. */
  const words = new Map();
  const days = Array.from({ length: 7 }, (_, nth) => Date.UTC(2028, 0, 1) + nth * DAY);
  const months = Array.from({ length: 12 }, (_, nth) => Date.UTC(2028, nth, 1));
  const kinds = [
    ["weekday", days],
    ["month", months],
  ].flatMap(([part, dates]) => ["short", "long"].map((style) => [part, style, dates]));
  for (const [part, style, dates] of kinds) {
    const found = new Set();
    for (const language of languages) {
      const options = { timeZone: "UTC", day: "numeric", [part]: style };
      const format = new Intl.DateTimeFormat(language, options);
      for (const { type, value } of dates.flatMap((day) => format.formatToParts(day)))
        if (type === part) found.add(value);
    }
    for (const word of found) words.set(word, longest([words.get(word) ?? "", ...found]));
  }

  /** Weeks as they are written; the longest are those in two years. */
  const week = /^\d{1,2}\.?(?: \p{L}+)?(?: \d{4})?\s?–\s?\d{1,2}\.? \p{L}+ \d{4}$/u;
  function longestWeek() {
    const options = { timeZone: "UTC", day: "numeric", month: "long", year: "numeric" };
    const mondays = Array.from({ length: 7 }, (_, nth) => {
      const newYear = Date.UTC(2020 + nth, 0, 1);
      return newYear - ((new Date(newYear).getUTCDay() + 6) % 7) * DAY;
    });
    const weeks = languages.flatMap((language) => {
      const format = new Intl.DateTimeFormat(language, options);
      return mondays.map((monday) => format.formatRange(monday, monday + 6 * DAY));
    });
    return longest(weeks);
  }

  const any = (texts) =>
    [...texts]
      .sort((one, other) => other.length - one.length)
      .map((text) => text.replaceAll(".", String.raw`\.`))
      .join("|");
  const varying = new RegExp(
    [
      String.raw`(?<clock>\d+:\d\d(?::\d\d)?)`,
      String.raw`(?<name>(?<!\p{L})(?:${any(names)})(?!\p{L}))`,
      String.raw`(?<day>(?<!\d)\d{1,2}(?=\.?\s(?:${any(words.keys())})(?!\p{L})))`,
      String.raw`(?<word>(?<!\p{L})(?:${any(words.keys())})(?!\p{L}))`,
      String.raw`(?<number>(?<![\p{L}\d#.,])\d+(?![\p{L}\d×]|[.,]\d)|\d+(?=(?:st|nd|rd|th)\b))`,
    ].join("|"),
    "gu",
  );
  function lengthened(text, most) {
    if (week.test(text.trim())) return longestWeek();
    return text.replace(varying, (found, ...rest) => {
      const is = rest.at(-1);
      if (is.clock !== undefined) return clock;
      if (is.name !== undefined) return name;
      if (is.day !== undefined) return "28";
      if (is.word !== undefined) return words.get(found);
      return found.padStart(most, "8");
    });
  }

  const nodes = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const shown = [];
  while (nodes.nextNode()) {
    const { currentNode: node } = nodes;
    if (!node.parentElement.closest("script, style, select")) shown.push([node, node.data]);
  }
  for (const [node, text] of shown) {
    const [, most] = digits.find(([where]) => node.parentElement.closest(where) !== null);
    const longer = lengthened(text, most);
    if (longer !== text) node.data = longer;
  }
  try {
    return look();
  } finally {
    for (const [node, text] of shown) if (node.data !== text) node.data = text;
  }
}
