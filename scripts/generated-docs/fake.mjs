import { OWN_FLAGS } from '../../src/cli/commands/fake-start.js'
import { FAULT_FIELDS } from '../../src/testing/control/action-input.js'
import { CONTROL_METHODS } from '../../src/testing/control/control-methods.js'
import { REFERRAL_TRANSITIONS } from '../../src/testing/domain/referrals-transitions.js'
import { DEFAULT_FAKE_OPTIONS } from '../../src/testing/options/fake-options.js'
import { OPTION_RULES } from '../../src/testing/options/option-rules.js'
import { CONTROL_ACTIONS } from '../../src/testing/servers.js'
import { optionDocs } from '../build-console.mjs'

/** Tables of the pages about the fake, by the names of their marks. */
export const FAKE_TABLES = {
  'fake-flags': flagTable,
  'fake-transitions': transitionTable,
  'fake-methods': methodTable,
  'fake-faults': faultTable,
  'fake-control': controlTable,
  'fake-options': optionTable,
  'fake-verbs': verbTable,
}

function flagTable() {
  const help = ['--help', 'prints the help and exits']
  const rows = [...OWN_FLAGS, help].map(([flags, description]) => [
    code(flags.replace(/[<>]/g, '')),
    description,
  ])
  return table(['Flag', 'Meaning'], rows)
}

function transitionTable() {
  const rows = Object.entries(REFERRAL_TRANSITIONS).map(([name, { from, to, event, isDocumented }]) => [
    code(name),
    from.join(', '),
    to,
    code(event),
    isDocumented ? 'yes' : 'no',
  ])
  return table(['`fake.referrals`', 'From', 'To', 'Event', 'Documented by the service'], rows)
}

function methodTable() {
  const rows = Object.entries(CONTROL_METHODS).map(([group, methods]) => [
    code(`fake.${group}`),
    Object.keys(methods)
      .filter((name) => group !== 'deliveries' || !['list', 'trigger'].includes(name))
      .map(code)
      .join(', '),
  ])
  return table(['Group', 'Methods'], rows)
}

function faultTable() {
  return table(
    ['Field', 'Meaning'],
    Object.entries(FAULT_FIELDS).map(([name, words]) => [code(name), words]),
  )
}

function controlTable() {
  const rows = CONTROL_ACTIONS.map(({ method, path, description, body = {} }) => [
    code(`${method} ${path}`),
    description,
    Object.keys(body).map(code).join(', '),
  ])
  return table(['Request', 'Action', 'Body fields'], rows)
}

/** The commands that run an action, with the parameters of its path. */
function verbTable() {
  const rows = CONTROL_ACTIONS.flatMap(({ verb, path, description }) => {
    const words = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => `<${name}>`)
    return verb === undefined ? [] : [[code([verb, ...words].join(' ')), description]]
  })
  return table(['`npx pathology fake …`', 'Action'], rows)
}

function optionTable() {
  const options = optionDocs().filter(([name]) => Object.hasOwn(OPTION_RULES, name))
  const rows = options.map(([name, words]) => [
    code(name),
    valuesOf(name),
    code(defaultOf(name)),
    plain(words),
  ])
  return table(['Option', 'Value', 'Default', 'Meaning'], rows)
}

/** @param {string} name */
function valuesOf(name) {
  /** @type {Readonly<Record<string, import('../../src/testing/server/value-rules.js').ValueRule>>} */
  const rules = OPTION_RULES
  const { choices, words = '' } = rules[name] ?? {}
  return choices?.map((choice) => code(String(choice))).join(', ') ?? words
}

/** @param {string} name */
function defaultOf(name) {
  /** @type {Readonly<Record<string, unknown>>} */
  const defaults = { ...DEFAULT_FAKE_OPTIONS }
  return JSON.stringify(defaults[name]) ?? 'none'
}

/**
 * Returns a docstring as one table cell. Its list items become lines.
 *
 * @param {string} comment
 */
function plain(comment) {
  return comment
    .split(/\n\s*\n/)
    .flatMap((paragraph) => paragraph.split(/\n(?=- )/))
    .map((part) => part.replaceAll(/\s*\n\s*/g, ' ').replace(/^- /, '• '))
    .join('<br>')
}

/** @param {string} text */
function code(text) {
  return `\`${text}\``
}

/**
 * @param {readonly string[]} head
 * @param {readonly (readonly string[])[]} rows
 */
function table(head, rows) {
  const line = (/** @type {readonly string[]} */ cells) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n')
}
