// Plain Markdown that the site shows in its own way: tabs and check boxes.

/** @typedef {import('markdown-it').default} MarkdownIt */
/** @typedef {import('markdown-it').Token} Token */

/**
 * Anchor of a heading, as GitHub makes it.
 *
 * @param {string} heading
 */
export const anchorOf = (heading) =>
  heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-')

/**
 * HTML of a page for the search index, with other words for its headings.
 *
 * @param {string} html
 * @param {Readonly<Record<string, string>>} words by the anchors of headings
 */
export const withSearchWords = (html, words) =>
  Object.entries(words).reduce(
    (text, [anchor, other]) =>
      text.replace(` <a class="header-anchor" href="#${anchor}"`, (link) => ` (${other})${link}`),
    html,
  )

const TABS = /^<!-- tabs:(begin|end) -->$/

/** @param {Token} token */
const tabMark = (token) => (token.type === 'html_block' ? TABS.exec(token.content.trim())?.[1] : undefined)

/** @param {string} text */
const attribute = (text) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')

/**
 * One panel for each heading of the first heading's level. The headings stay, so that links to them work.
 *
 * @param {readonly Token[]} tokens between the marks
 * @param {(html: string) => Token} html
 */
function panels(tokens, html) {
  const level = tokens.find(({ type }) => type === 'heading_open')?.tag
  /** @type {string[]} */
  const labels = []
  /** @type {Token[]} */
  const content = []
  for (const [index, token] of tokens.entries()) {
    if (token.type === 'heading_open' && token.tag === level) {
      if (labels.length > 0) content.push(html('</template>\n'))
      content.push(html(`<template #panel${labels.length}>\n`))
      labels.push(tokens[index + 1]?.children?.find(({ type }) => type === 'text')?.content ?? '')
    }
    content.push(token)
  }
  const names = attribute(JSON.stringify(labels))
  return [html(`<PageTabs :labels="${names}">\n`), ...content, html('</template>\n</PageTabs>\n')]
}

/**
 * Shows the sections between the comments `tabs:begin` and `tabs:end` as tabs.
 *
 * @param {MarkdownIt} md
 */
export function sectionTabs(md) {
  md.core.ruler.push('section-tabs', (state) => {
    const html = (/** @type {string} */ content) =>
      Object.assign(new state.Token('html_block', '', 0), { content })
    let from = state.tokens.findIndex((token) => tabMark(token) === 'begin')
    // Imported by the page: the search shows excerpts without the components of the theme.
    if (from !== -1) {
      state.tokens.push(html("<script setup>\nimport PageTabs from '@site/PageTabs.vue'\n</script>\n"))
    }
    while (from !== -1) {
      const end = state.tokens.findIndex((token, index) => index > from && tabMark(token) === 'end')
      if (end === -1) throw new Error('tabs:begin has no tabs:end')
      state.tokens.splice(from, end + 1 - from, ...panels(state.tokens.slice(from + 1, end), html))
      from = state.tokens.findIndex((token) => tabMark(token) === 'begin')
    }
  })
}

/**
 * Shows `[ ]` at the start of a list item as a box.
 *
 * @param {MarkdownIt} md
 */
export function boxesToTick(md) {
  md.core.ruler.push('boxes-to-tick', ({ tokens }) => {
    for (const [index, { type, children }] of tokens.entries()) {
      const first = children?.[0]
      if (type !== 'inline' || first?.type !== 'text' || tokens[index - 2]?.type !== 'list_item_open')
        continue
      first.content = first.content.replace(/^\[ \] /, '☐ ')
    }
  })
}
