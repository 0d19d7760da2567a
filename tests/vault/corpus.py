"""
A hard corpus: notes as real vaults have them, with everything Obsidian and its plugins know.

Written by hand where the content is the point; the variants (CRLF, byte order mark, no last line end) are made.
"""

# ruff: noqa: E501, W291

from __future__ import annotations

WRITTEN: dict[str, str] = {
    "Properties/All types.md": """---
title: All types
count: 42
share: 0.50
done: true
day: 2026-01-15
moment: 2026-01-15T14:30:00
aliases: [ "Every type",  'types' ]
tags:
  - kind/property
  - Überblick
cssclasses: [wide]
related: "[[Links/Kinds of links|the links]]"
list_of_links:
  - "[[Home]]"
  - "[[Active Tasks#Today]]"
---
Every property type that Obsidian has.
""",
    "Properties/Comments and quoting.md": """---
# written by hand, do not touch
title:   'It''s   "quoted"'    # a trailing comment
empty:
null_value: null
tilde: ~
yes_word: yes
number_like: "007"
version: 1.10
url: https://example.org/a?b=c#d
folded: >-
  one line
  and another

literal: |
  recollect_id: not an id
  ---
  still the literal
nested:
  map:
    - a: 1
      b: [x, {y: z}]
---

Body.
""",
    "Properties/Duplicate keys.md": "---\ntags: a\ntags: b\nstatus: x\nstatus: y\n---\nDuplicate keys occur in real vaults.\n",
    "Properties/Tabs.md": "---\nlist:\n\t- with a tab\n---\nTabs in YAML.\n",
    "Properties/Second colon.md": "---\ntitle: a: b: c\n---\nA plain value with colons.\n",
    "Properties/Never closed.md": "---\ntitle: open\n\nThe block is never closed.\n",
    "Properties/Only a rule.md": "---\n\nThis begins with a rule, not with properties.\n",
    "Properties/Empty block.md": "---\n---\nEmpty properties.\n",
    "Properties/Spaces after fence.md": "---  \ntitle: x\n--- \t\nText.\n",
    "Properties/Anchors.md": "---\nbase: &base\n  a: 1\nderived:\n  <<: *base\n---\nAnchors and merges.\n",
    "Properties/Dots at the end.md": "---\ntitle: x\n...\nText after dots that do not close for Obsidian.\n---\nmore\n",
    "Properties/JSON.md": '{"title": "json properties"}\n\nJSON front matter is just text.\n',
    "Properties/Unicode keys.md": "---\nschlüssel: wert\n日付: 2026-01-15\n\"quoted key\": 1\n? complex\n: value\n---\nKeys.\n",
    "Links/Kinds of links.md": """# Kinds of links

[[Home]] [[Home|the start]] [[Active Tasks#Today]] [[Active Tasks#^block-1]] [[#Kinds of links]] [[^para]]
![[Picture.png]] ![[Picture.png|300x200]] ![[Home#Section]] ![[sound.mp3]] ![[doc.pdf#page=3]]
[text](Sub%20folder/A%20note.md) [text](<Sub folder/A note.md#Heading>) ![alt](pic.png "title") <https://example.org>
[[Folder/Deep/Note.md]] [[Übung]] [[日本語]] [[a note with 'quotes' & ampersand]]
A footnote[^1], an inline one^[right here], a reference [link][ref].

[^1]: The footnote.
    Its second paragraph.

[ref]: https://example.org "Title"

A paragraph with a block id. ^para

- item with one ^item-1
""",
    "Links/In tables.md": """| Note | Alias |
|:-----|------:|
| [[Home\\|Start]] | `[[not a link]]` |
| ![[Picture.png\\|50]] | a \\| b |
""",
    "Tags/Everywhere.md": """#at-the-start of a line, in the middle #nested/tag/deep, at the end #Ende.
Not tags: #123, a#b, `#code`, https://example.org/#anchor, \\#escaped, ##double, # heading-like
#日本語 #with_underscore #with-dash #émigré
""",
    "Tasks/Plugin emoji.md": """## Today
- [ ] plain
- [x] done ✅ 2026-01-14
- [ ] with everything 🆔 abc123 ⛔ def456 🔺 🔁 every week on Monday 🛫 2026-01-10 ⏳ 2026-01-12 📅 2026-01-15 ➕ 2026-01-01
- [-] cancelled ❌ 2026-01-13
- [/] half done
- [>] forwarded
- [!] important
- [?] question
* [ ] star bullet
+ [ ] plus bullet
1. [ ] numbered
\t- [ ] child with a tab
    - [ ] grandchild with spaces 🏁 delete
- [ ]   spaces   inside   📅   2026-02-01
- [X] capital x
> - [ ] in a quote
""",
    "Tasks/Dataview form.md": """- [ ] pay [due:: 2026-04-16] [priority:: high] #task
- [x] called [completion:: 2026-04-10]
- [ ] (start:: 2026-01-01) hidden key
""",
    "Tasks/Queries.md": """```tasks
not done
due before tomorrow
sort by priority
```

```dataview
TABLE file.mtime AS "Changed", rating
FROM #book AND -"Archive"
WHERE rating >= 4
```

`= this.file.name` and `$= dv.pages().length`
""",
    "Dataview/Inline fields.md": """Author:: Jane Doe
[rating:: 5] in a sentence, (hidden:: yes), **bold key**:: value
key with spaces:: value
emoji 🎬:: yes
list:: [[A]], [[B]]
Rating::no space
""",
    "Comments/Percent.md": """Visible %%hidden inline%% visible.

%%
A block comment with [[a link]] and #tag
- [ ] a task nobody sees
%%

<!-- html comment
over lines -->
Text after. 100%% sure? 50 %% of it.
""",
    "Comments/Never closed.md": "Text\n\n%%\nthis comment has no end\n\n# Heading inside\n",
    "Callouts/Nested.md": """> [!note]+ Title with **bold** and [[Home]]
> Body
>
> > [!warning]- Inner
> > - [ ] task inside
> > ```python
> > print("code in a callout")
> > ```

> [!custom|meta] Type with meta
""",
    "Code/Fences.md": """```markdown
# not a heading
[[not a link]] #not-a-tag
%% recollect %%
---
```

~~~~
```
nested
```
~~~~

    indented code [[no link]]

`` `backticks` inside `` and ```` ``` ````

```
never closed
""",
    "Code/Mermaid.md": "```mermaid\ngraph TD\n  A[\"[[Home]]\"] --> B\n  class A internal-link;\n```\n",
    "Math/Formulas.md": "Inline $a_1 + b^2$ and block\n\n$$\n\\begin{aligned}\nx &= y \\\\\nz &\\ne w\n\\end{aligned}\n$$\nPrice: \\$5 to $6.\n",
    "Formatting/Everything.md": """**bold** *italic* ***both*** ~~struck~~ ==highlight== <u>under</u> H~2~O x^2^
Line with two spaces  
hard break\\
escape \\* \\_ \\[ \\]

---
***
___

1. one
3. three
2) paren

- a
  - b
    - c
\t- tab

Term
: definition

| a | b |
|---|---|
| 1 | 2 |

<details><summary>More</summary>

Hidden **markdown**.
</details>

Setext heading
==============
Second
------
""",
    "Embeds/Canvas and base.md": "![[Board.canvas]] ![[Recollect.base#Review]] ![[Home#^block]]\n\n```base\nfilters: file.hasTag(\"x\")\n```\n",
    "Templates/Daily template.md": "# {{date:YYYY-MM-DD}}\n\n<% tp.file.creation_date() %>\n\n- [ ] {{title}}\n<%* if (x) { %>x<%* } %>\n",
    "Daily/2026-01-15.md": "# 2026-01-15\n\n- 09:00 #meeting with [[Alex]]\n- mood:: good\n\n> quote\n\n^block-at-end\n",
    "Headings/Odd.md": "#No space\n# \n## Heading ##\n### With [[link]] and `code` ^id\n####### seven\n#\tTab\n",
    "Names/Ünïcödé – ñøtę.md": "Names with accents.\n",
    "Names/日本語のノート.md": "日本語の本文。タグ #メモ とリンク [[ホーム]]。\n",
    "Names/Emoji 🎉 note.md": "🎉 Party 👨‍👩‍👧‍👦 family, flag 🇩🇪, skin 👍🏽.\n",
    "Names/It's (a) note, & more!.md": "Punctuation in the name.\n",
    "Names/UPPER.md": "upper\n",
    "Names/العربية.md": "نص عربي مع [[رابط]] و #وسم\n",
    "Names/dotted.name.v1.2.md": "Dots.\n",
    "Whitespace/Trailing.md": "trailing spaces   \n\ttab\t\n\n\n\nmany blank lines\n\n\n",
    "Whitespace/Empty.md": "",
    "Whitespace/Only newlines.md": "\n\n\n",
    "Whitespace/Form feed and friends.md": "form\x0cfeed, vertical\x0btab, next\x85line, line\u2028separator, paragraph\u2029separator\n",
    "Whitespace/No-break\u00a0space.md": "no-break\u00a0space, zero\u200bwidth, soft\u00adhyphen\n",
    "Whitespace/Mixed line ends.md": "one\ntwo\r\nthree\rfour\n\r\nfive",
    "Whitespace/NFD name e\u0301.md": "A name that is not composed: e\u0301.\n",
    "Long/Long line.md": "word " * 4_000 + "\n",
    "Long/Many headings.md": "".join(f"# H{number}\n\ntext {number} [[Note {number}]] #t{number}\n\n" for number in range(150)),
    "Excalidraw/Drawing.md": "---\nexcalidraw-plugin: parsed\ntags: [excalidraw]\n---\n==⚠  Switch to EXCALIDRAW VIEW ⚠==\n\n# Text Elements\nBox ^abc12345\n\n%%\n# Drawing\n```json\n{\"type\":\"excalidraw\",\"elements\":[]}\n```\n%%",
    "Kanban/Board.md": "---\n\nkanban-plugin: board\n\n---\n\n## Todo\n\n- [ ] card @{2026-01-15}\n\n\n## Done\n\n**Complete**\n- [x] old\n\n%% kanban:settings\n```\n{\"kanban-plugin\":\"board\"}\n```\n%%",
    "Basic memory/Entity.md": "---\ntitle: Coffee\ntype: note\npermalink: coffee\n---\n# Coffee\n\n## Observations\n- [method] Pour over #brewing (at home)\n\n## Relations\n- relates_to [[Tea]]\n",
    "Zettel/202601151430.md": "202601151430 Atomic\n\n[[202601151431]]\n\nKeywords: #a #b\n",
    "Marker/Looks like ours.md": "%% recollect %%\nsomebody quotes our marker\n%% /recollect %%\nand goes on\n",
}  # fmt: skip

BYTES: dict[str, bytes] = {
    "Bytes/Latin-1.md": "Grüße in Latin-1\n".encode("latin-1"),
    "Bytes/NUL.md": b"a\0b\n",
    "Bytes/Half a character.md": b"end \xe2\x82",
    "Bytes/UTF-16.md": "utf-16".encode("utf-16"),
}


def corpus() -> dict[str, bytes]:
    """Every note of the corpus by its path: as written, and some of them with other line ends."""
    notes = {path: text.encode() for path, text in WRITTEN.items()} | BYTES
    for path in (
        "Properties/All types.md",
        "Tasks/Plugin emoji.md",
        "Comments/Percent.md",
        "Kanban/Board.md",
    ):
        text = WRITTEN[path]
        stem = path.removesuffix(".md")
        notes[f"{stem} crlf.md"] = text.replace("\n", "\r\n").encode()
        notes[f"{stem} bom.md"] = b"\xef\xbb\xbf" + text.encode()
        notes[f"{stem} no end.md"] = text.rstrip("\n").encode()
    return notes
