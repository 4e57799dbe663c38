import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitepress'
import { pageIn, repositoryLinks } from './links.mjs'
import { anchorOf, boxesToTick, sectionTabs, withSearchWords } from './markdown.mjs'
import { REFERENCE, SEARCH_WORDS } from './navigation.mjs'
import { descriptionOf, sidebars } from './pages.mjs'

/** Path below which the site is served, with slashes at both ends. */
const base = process.env['DOCS_BASE'] ?? '/'

/** @type {{ version: string }} */
const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))

const REFERENCE_NAMES = REFERENCE.pages.map((page) => basename(page, '.md')).join('|')

export default defineConfig({
  title: 'pathology-sdk',
  lang: 'en-AU',
  base,
  outDir: '../site',
  cacheDir: '../node_modules/.cache/vitepress',
  head: [['link', { rel: 'icon', href: `${base}favicon.svg` }]],
  transformHead: ({ title, description }) => [
    ['meta', { property: 'og:type', content: 'website' }],
    ['meta', { property: 'og:title', content: title }],
    ['meta', { property: 'og:description', content: description }],
  ],
  metaChunk: true,
  srcExclude: ['api.md'],

  markdown: {
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    languageAlias: { cjs: 'js' },
    anchor: { slugify: anchorOf },
    config(md) {
      md.use(repositoryLinks).use(sectionTabs).use(boxesToTick)
    },
  },

  vite: {
    resolve: { alias: { '@site': fileURLToPath(new URL('theme', import.meta.url)) } },
  },

  // The theme's home page has no main landmark.
  transformHtml: (html) =>
    html.replace('<div class="VPContent is-home"', '<div role="main" class="VPContent is-home"'),

  transformPageData(page, { siteConfig }) {
    page.description ||= descriptionOf(readFileSync(join(siteConfig.srcDir, page.filePath), 'utf8'))
  },

  themeConfig: {
    nav: [
      {
        text: 'Guides',
        link: '/guides/getting-started',
        activeMatch: '^/(guides|fake|service|endpoints|reliability|runtimes|benchmarks)',
      },
      {
        text: 'Reference',
        link: '/twelve-methods',
        activeMatch: `^/(reference/(index|pathology-sdk|$)|${REFERENCE_NAMES})`,
      },
      { text: 'HTTP', link: '/reference/http/', activeMatch: '^/reference/http/' },
      { text: 'Examples', link: '/reference/examples/', activeMatch: '^/reference/examples/' },
      {
        text: version,
        link: '/reference/project/changelog',
        activeMatch: '^/(reference/project|decisions)/',
      },
    ],
    sidebar: sidebars(),
    outline: { level: [2, 3], label: 'On this page' },
    docFooter: { prev: 'Previous', next: 'Next' },
    search: {
      provider: 'local',
      options: {
        detailedView: true,
        _render: (text, env, md) => {
          // The index needs no colours, which take half of the time of a build.
          const { highlight } = md.options
          md.set({ highlight: null })
          try {
            return withSearchWords(md.render(text, env), SEARCH_WORDS[pageIn(env)] ?? {})
          } finally {
            md.set({ highlight: highlight ?? null })
          }
        },
        miniSearch: {
          searchOptions: {
            fuzzy: 0.15,
            prefix: true,
            combineWith: 'AND',
            boost: { title: 4, titles: 2, text: 1 },
            // Runs in the browser, so it cannot use variables of this module.
            boostDocument: (/** @type {string} */ id) => {
              if (id.includes('/guides/')) return 3
              if (id.includes('/reference/') || id.includes('/decisions/')) return 0.5
              return 1
            },
          },
        },
      },
    },
  },
})
