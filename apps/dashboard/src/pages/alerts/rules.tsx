import { Button, Modal } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { AlertRule, AlertRuleName, AlertRulesState } from '@weir/api'
import { ALERT_TEXTS } from '@weir/api/alert-texts'
import { useState } from 'react'
import { alertRulesQuery } from '../../api/queries.ts'
import { useRole } from '../../app/role.ts'
import { plural } from '../../format/numbers.ts'
import { span } from '../../format/times.ts'
import { Panel } from '../../ui/panel.tsx'
import { Ready } from '../../ui/states.tsx'
import ui from '../../ui/ui.module.css'
import { When } from '../../ui/when.tsx'
import classes from './alerts.module.css'
import { SeverityState } from './parts.tsx'
import { RuleForm } from './rule-form.tsx'
import { settingText } from './rule-settings.ts'

const NAMES = Object.keys(ALERT_TEXTS) as AlertRuleName[]

/** The rules of the environment, and for which services they differ. */
export const RulesTab = ({ environment }: { environment: string }) => {
  const query = useQuery(alertRulesQuery(environment))
  const [editing, setEditing] = useState<AlertRuleName | null>(null)
  return (
    <Panel title="Rules" hint={<Version state={query.data?.data} />}>
      <Ready query={query}>
        {(answer) => (
          <>
            <RulesTable state={answer.data} onEdit={setEditing} />
            <Modal
              opened={editing !== null}
              onClose={() => setEditing(null)}
              size="lg"
              title={editing === null ? '' : `Rule: ${ALERT_TEXTS[editing].title}`}
            >
              {editing !== null && (
                <RuleForm environment={environment} name={editing} answer={answer} onDone={() => setEditing(null)} />
              )}
            </Modal>
          </>
        )}
      </Ready>
    </Panel>
  )
}

const Version = ({ state }: { state: AlertRulesState | undefined }) =>
  state === undefined || state.updatedAt === null ? (
    <>The built-in rules; nobody has changed any.</>
  ) : (
    <>
      Version {state.version} by {state.author}, <When time={state.updatedAt} />: {state.reason}
    </>
  )

const RulesTable = ({ state, onEdit }: { state: AlertRulesState; onEdit: (name: AlertRuleName) => void }) => {
  const { canEdit } = useRole()
  const { rules, services } = state.document
  return (
    <div className={ui.scroll}>
      <table className={ui.table} aria-label="Alert rules" style={{ minWidth: 860 }}>
        <thead>
          <tr>
            <th scope="col">Rule</th>
            <th scope="col">Severity</th>
            <th scope="col">Raised at</th>
            <th scope="col" className={ui.number}>
              For
            </th>
            <th scope="col">Differs for</th>
            {canEdit && <th scope="col">Action</th>}
          </tr>
        </thead>
        <tbody>
          {NAMES.map((name) => {
            const rule: AlertRule = rules[name]
            const { title, when } = ALERT_TEXTS[name]
            const own = Object.keys(services).filter((service) => services[service]?.[name] !== undefined)
            return (
              <tr key={name}>
                <td style={{ maxWidth: 380 }}>
                  <b>{title}</b>
                  <div className={ui.hint}>{when}</div>
                </td>
                <td>
                  {rule.enabled ? (
                    <SeverityState severity={rule.severity} />
                  ) : (
                    <span className={classes.off}>switched off</span>
                  )}
                </td>
                <td>{settingText(name, rule)}</td>
                <td className={ui.number}>{span(rule.forSeconds * 1000)}</td>
                <td>
                  {own.length === 0 ? (
                    <span className={ui.dim}>no service</span>
                  ) : (
                    <span title={own.join(', ')}>{plural(own.length, 'service')}</span>
                  )}
                </td>
                {canEdit && (
                  <td>
                    <Button
                      size="compact-xs"
                      variant="default"
                      aria-label={`Edit the rule ${title}`}
                      onClick={() => onEdit(name)}
                    >
                      Edit
                    </Button>
                  </td>
                )}
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}
