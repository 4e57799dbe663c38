import DefaultTheme from 'vitepress/theme'
import { defineAsyncComponent } from 'vue'
import './style.css'

/** @type {import('vitepress').Theme} */
export default {
  extends: DefaultTheme,
  enhanceApp({ app }) {
    // Two megabytes: loaded on the pages of the HTTP interface only.
    app.component(
      'HttpOperation',
      defineAsyncComponent(() => import('./HttpOperation.vue')),
    )
  },
}
