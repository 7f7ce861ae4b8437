import { Accordion, ActionIcon, Group, Select, Tooltip } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import { useEffect, useRef, useState } from 'react'
import ui from '../ui/ui.module.css'
import { AddItem } from './add-item.tsx'
import { dotted, type Located } from './check.ts'
import { keysAt, type Path, removeAt, setAt, valueAt } from './edit.ts'
import { FieldInput } from './field-input.tsx'
import {
  BUDGET_KINDS,
  budgetGroup,
  DEPENDENCY_GROUPS,
  type Field,
  type FieldGroup,
  GATE_GROUPS,
  TENANT_FIELDS,
} from './fields.ts'
import classes from './policy.module.css'

interface FormContext {
  readonly text: string
  readonly value: unknown
  readonly problems: readonly Located[]
  readonly readOnly: boolean
  readonly onText: (text: string) => void
}

interface FormPaneProps {
  readonly form: FormContext
  /** Names that running agents report. */
  readonly seen: { readonly gates: readonly string[]; readonly dependencies: readonly string[] }
  /** What is opened and brought into sight at first. */
  readonly sought: readonly [root: 'gates' | 'dependencies', name: string] | null
}

/** The document as fields. Every change is written into the text at once: there is one source, and it is the text. */
export const FormPane = ({ form, seen, sought }: FormPaneProps) => {
  if (form.value === undefined)
    return (
      <p className={ui.hint}>
        The form rests while the document does not parse. Mend the line that is marked, and it is back.
      </p>
    )
  return (
    <div className={classes.form}>
      <Items
        form={form}
        root="gates"
        one="gate"
        title="Gates"
        seen={seen.gates}
        groups={GATE_GROUPS}
        sought={sought?.[0] === 'gates' ? sought[1] : null}
      />
      <Items
        form={form}
        root="dependencies"
        one="dependency"
        title="Dependencies"
        seen={seen.dependencies}
        groups={DEPENDENCY_GROUPS}
        sought={sought?.[0] === 'dependencies' ? sought[1] : null}
      />
      <section>
        <h3 className={classes.section}>Tenants without a quota of their own</h3>
        <Fields form={form} prefix={['tenants']} fields={TENANT_FIELDS} />
      </section>
    </div>
  )
}

interface ItemsProps {
  readonly form: FormContext
  readonly root: 'gates' | 'dependencies'
  readonly one: string
  readonly title: string
  readonly seen: readonly string[]
  readonly groups: readonly FieldGroup[]
  readonly sought: string | null
}

const Items = ({ form, root, one, title, seen, groups, sought }: ItemsProps) => {
  const names = keysAt(form.value, [root])
  return (
    <section>
      <h3 className={classes.section}>{title}</h3>
      {names.length === 0 && (
        <p className={ui.hint}>None named. What the policy does not name is observed: counted, never refused.</p>
      )}
      <Accordion multiple variant="separated" defaultValue={sought === null ? names.slice(0, 1) : [sought]} order={4}>
        {names.map((name) => (
          <Item key={name} form={form} root={root} name={name} groups={groups} sought={name === sought} />
        ))}
      </Accordion>
      {!form.readOnly && (
        <AddItem
          one={one}
          taken={names}
          seen={seen}
          onAdd={(name) => form.onText(setAt(form.text, [root, name], {}))}
        />
      )}
    </section>
  )
}

/** What an operator reaches for first. */
const OPEN_GROUPS = 2

interface ItemProps extends Pick<ItemsProps, 'form' | 'root' | 'groups'> {
  readonly name: string
  readonly sought: boolean
}

const Item = ({ form, root, name, groups, sought }: ItemProps) => {
  const control = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (!sought) return
    control.current?.scrollIntoView({ block: 'center' })
    control.current?.focus({ preventScroll: true })
  }, [sought])
  const here = dotted([root, name])
  const wrong = form.problems.filter(({ path }) => path === here || path.startsWith(`${here}.`)).length
  return (
    <Accordion.Item value={name}>
      <Group gap={4} wrap="nowrap" className={classes.itemHead}>
        <Accordion.Control ref={control}>
          {name} {wrong > 0 && <span className={ui.bad}>{wrong === 1 ? '1 problem' : `${wrong} problems`}</span>}
        </Accordion.Control>
        {!form.readOnly && (
          <Tooltip label={`Remove ${name} from the policy`}>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={`Remove ${name} from the policy`}
              onClick={() => form.onText(removeAt(form.text, [root, name]))}
            >
              <IconTrash size={16} />
            </ActionIcon>
          </Tooltip>
        )}
      </Group>
      <Accordion.Panel>
        {groups.map((group, index) => (
          <FieldSet key={group.title} form={form} prefix={[root, name]} group={group} first={index < OPEN_GROUPS} />
        ))}
        {root === 'dependencies' && <Budget form={form} prefix={[root, name]} />}
      </Accordion.Panel>
    </Accordion.Item>
  )
}

interface FieldSetProps {
  readonly form: FormContext
  readonly prefix: Path
  readonly group: FieldGroup
  /** The first groups of an item are always open. */
  readonly first: boolean
}

/** A group opens by itself where the document says something in it, or something is wrong in it. */
const FieldSet = ({ form, prefix, group, first }: FieldSetProps) => {
  const paths = group.fields.map(({ path }) => [...prefix, ...path])
  const told = paths.filter((path) => valueAt(form.value, path) !== undefined).length
  const wrong = form.problems.some((problem) => paths.some((path) => problem.path === dotted(path)))
  const [open, setOpen] = useState(first || told > 0)
  return (
    <details className={classes.group} open={open || wrong} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        {group.title}
        <span className={ui.dim}> {told === 0 ? 'all default' : `${told} set`}</span>
      </summary>
      <Fields form={form} prefix={prefix} fields={group.fields} />
    </details>
  )
}

const Fields = ({ form, prefix, fields }: { form: FormContext; prefix: Path; fields: readonly Field[] }) => (
  <div className={classes.fields}>
    {fields.map((field) => {
      const path = [...prefix, ...field.path]
      const name = dotted(path)
      const shortForm = name.replace(/\.concurrency\.initial$/, '.concurrency')
      return (
        <FieldInput
          key={name}
          field={field}
          value={valueAt(form.value, path)}
          error={form.problems.find((problem) => problem.path === name || problem.path === shortForm)?.message}
          disabled={form.readOnly}
          onChange={(value) =>
            form.onText(value === undefined ? removeAt(form.text, path) : setAt(form.text, path, value))
          }
        />
      )
    })}
  </div>
)

/** Another kind of budget is another set of settings: those of the former kind go. */
const Budget = ({ form, prefix }: { form: FormContext; prefix: Path }) => {
  const kind = valueAt(form.value, [...prefix, 'budget', 'kind'])
  return (
    <details className={classes.group} open={kind !== undefined}>
      <summary>Retry budget</summary>
      <div className={classes.fields}>
        <Select
          size="xs"
          label="Kind"
          clearable
          disabled={form.readOnly}
          placeholder="default: token-bucket"
          data={BUDGET_KINDS}
          value={typeof kind === 'string' ? kind : null}
          onChange={(next) => {
            const path = [...prefix, 'budget']
            form.onText(next === null ? removeAt(form.text, path) : setAt(form.text, path, { kind: next }))
          }}
        />
      </div>
      {typeof kind === 'string' && <Fields form={form} prefix={prefix} fields={budgetGroup(kind).fields} />}
    </details>
  )
}
