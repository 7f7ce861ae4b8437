import { Link } from '@tanstack/react-router'
import type { Subject } from '../../outcomes/subject.ts'
import { Panel } from '../../ui/panel.tsx'
import { Loading, Ready } from '../../ui/states.tsx'
import ui from '../../ui/ui.module.css'
import { When } from '../../ui/when.tsx'
import classes from './rule.module.css'
import type { useRule } from './use-subject.ts'

interface RulePanelProps {
  readonly environment: string
  readonly service: string
  readonly subject: Subject
  readonly rule: ReturnType<typeof useRule>
}

/** What the policy says of it: the settings that are set, and the defaults that matter. */
export const RulePanel = ({ environment, service, subject, rule }: RulePanelProps) => {
  const { kind, name } = subject
  const { published } = rule
  const params = { environment, service }
  return (
    <Panel
      id="rule"
      title={`Policy of this ${kind}`}
      hint={
        published != null && (
          <>
            <Link to="/e/$environment/s/$service/history" params={params} className={ui.link}>
              Version {published.version}
            </Link>{' '}
            by {published.author}, <When time={published.createdAt} />: {published.reason}
          </>
        )
      }
      actions={
        <div className={ui.tags}>
          {rule.data?.resource != null && (
            <Link to="/e/$environment/s/$service/quotas" params={params} className={ui.link}>
              Tenants’ quotas
            </Link>
          )}
          <Link
            to="/e/$environment/s/$service/policy"
            params={params}
            search={kind === 'gate' ? { gate: name } : { dependency: name }}
            className={ui.link}
          >
            Open in the policy
          </Link>
        </div>
      }
    >
      <Ready query={{ ...rule, data: rule.data }} loading={<Loading rows={3} />}>
        {(data) =>
          data?.groups == null ? (
            <p className={ui.hint}>
              {data === null
                ? 'The published text cannot be read here.'
                : `The policy does not name this ${kind}: it is observed, counted and never refused.`}
            </p>
          ) : (
            <div className={classes.groups}>
              {data.groups.map(({ title, settings }) => (
                <section key={title}>
                  <h3 className={classes.title}>{title}</h3>
                  <dl className={classes.settings}>
                    {settings.map(({ label, value, told }) => (
                      <div key={label}>
                        <dt>{label}</dt>
                        <dd data-told={told}>
                          {value}
                          {!told && <span className={classes.default}> default</span>}
                        </dd>
                      </div>
                    ))}
                  </dl>
                </section>
              ))}
            </div>
          )
        }
      </Ready>
    </Panel>
  )
}
