import DefaultTheme from 'vitepress/theme'
import { defineAsyncComponent } from 'vue'
import './style.css'

/** @type {import('vitepress').Theme} */
export default {
  extends: DefaultTheme,
  enhanceApp({ app }) {
    // The component takes two megabytes, so it is loaded only on the pages of the HTTP interface.
    app.component(
      'HttpOperation',
      defineAsyncComponent(() => import('./HttpOperation.vue')),
    )
  },
}
