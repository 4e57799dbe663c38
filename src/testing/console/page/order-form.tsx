import { useState } from 'preact/hooks'

import { Check, Form, Input, run, Select, Submit, textOf } from './actions.js'
import { send } from './control.js'
import { plural } from './format.js'
import { Fold, Head } from './parts.js'
import { type Choices, choices } from './state.js'

type Test = Choices['tests'][number]

const TEXTS = ['firstName', 'lastName', 'email', 'phone', 'dob', 'gender', 'referenceNumber', 'bundleId']

interface Sample {
  readonly [name: string]: unknown
  readonly tests: readonly string[]
}

/** The form of a new order. The fake invents what is left empty. */
export function OrderForm() {
  const { tests: all, bundles } = choices.value
  const [sample, setSample] = useState<Sample | undefined>()
  const [tests, setTests] = useState<readonly string[]>([])
  const [medicareTests, setMedicareTests] = useState<readonly string[]>([])
  const fill = (): Promise<boolean> =>
    run(async () => {
      const invented = await send<Sample>('POST', '/console/sample-order')
      setSample(invented)
      setTests(invented.tests)
      return ''
    })
  const command = (fields: FormData) => {
    const texts = TEXTS.map((name) => [name, textOf(fields, name)] as const)
    return {
      path: '/console/order',
      body: {
        ...Object.fromEntries(texts.filter(([, text]) => text !== '')),
        ...(tests.length === 0 ? {} : { tests }),
        ...(medicareTests.length === 0 ? {} : { medicareTests }),
        emailReferralToCustomer: fields.has('emailReferralToCustomer'),
      },
      done: 'Order placed',
      go: ({ uuid }: { uuid: string }) => `#/referrals/${uuid}`,
    }
  }
  const text = (label: string, name: string, type: 'text' | 'date' | 'email' | 'tel' = 'text') => (
    <Input
      key={`${name} ${sample?.[name]}`}
      label={label}
      name={name}
      type={type}
      placeholder="invented"
      defaultValue={String(sample?.[name] ?? '')}
    />
  )
  return (
    <article>
      <Head title="Place an order">
        <button type="button" class="button" onClick={() => void fill()}>
          Fill in sample data
        </button>
      </Head>
      <Form name="order" class="form grid" command={command}>
        {text('First name', 'firstName')}
        {text('Last name', 'lastName')}
        {text('Born', 'dob', 'date')}
        <Select
          key={`gender ${sample?.['gender']}`}
          label="Gender"
          name="gender"
          options={[
            ['', 'Any'],
            ['female', 'Female'],
            ['male', 'Male'],
          ]}
          selected={String(sample?.['gender'] ?? '')}
        />
        {text('Email', 'email', 'email')}
        {text('Phone', 'phone', 'tel')}
        {text('Your reference', 'referenceNumber')}
        <Tests label="Tests" tests={all} chosen={tests} choose={setTests} />
        <Fold summary="Bundle and Medicare tests">
          <Select
            label="Bundle"
            name="bundleId"
            options={[['', 'None'], ...bundles.map(({ id, name }) => [id, name] as const)]}
          />
          <Tests
            label="Medicare tests"
            tests={all.filter(({ medicareListed }) => medicareListed)}
            chosen={medicareTests}
            choose={setMedicareTests}
          />
        </Fold>
        <Check label="Email the referral to the patient" name="emailReferralToCustomer" defaultChecked />
        <p>
          <Submit>Place the order</Submit>
        </p>
        <p class="hint">
          Sends the order over the API. The fake invents values for empty fields; without any test or bundle,
          it chooses three blood tests.
        </p>
      </Form>
    </article>
  )
}

interface TestsProps {
  readonly label: string
  readonly tests: readonly Test[]
  readonly chosen: readonly string[]
  readonly choose: (ids: readonly string[]) => void
}

/** A list of tests that a text filters, with a chip for each chosen one. */
function Tests({ label, tests, chosen, choose }: TestsProps) {
  const [filter, setFilter] = useState('')
  const wanted = filter.toLowerCase()
  const shown = tests.filter(({ id, name }) => `${name} ${id}`.toLowerCase().includes(wanted))
  const names = new Map(tests.map(({ id, name }) => [id, name]))
  const toggle = (id: string): void =>
    choose(chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id])
  return (
    <fieldset class="tests">
      <legend>{label}</legend>
      <div class="chips">
        {chosen.map((id) => (
          <button
            key={id}
            type="button"
            class="chip"
            aria-label={`Remove ${names.get(id)}`}
            onClick={() => toggle(id)}
          >
            {names.get(id)} <span aria-hidden="true">×</span>
          </button>
        ))}
        <span class="muted" role="status">
          {chosen.length === 0 ? 'None chosen' : plural(chosen.length, 'test')}
        </span>
      </div>
      <input
        type="search"
        aria-label={`Filter ${label.toLowerCase()}`}
        placeholder={`Filter ${plural(tests.length, 'test')}`}
        autocomplete="off"
        onInput={({ currentTarget: { value } }) => setFilter(value)}
      />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must be able to scroll it */}
      <div class="options" tabIndex={0}>
        {shown.map(({ id, name }) => (
          <Check key={id} label={name} title={id} checked={chosen.includes(id)} onChange={() => toggle(id)} />
        ))}
        {shown.length === 0 ? <p class="muted">No tests match "{filter}".</p> : null}
      </div>
    </fieldset>
  )
}
