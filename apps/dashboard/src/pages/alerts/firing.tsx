import { Button, Modal, Group as Row } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconBellOff } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import type { Alert } from '@weir/api'
import { ALERT_TEXTS } from '@weir/api/alert-texts'
import { useState } from 'react'
import { useRole } from '../../app/role.ts'
import { State } from '../../ui/state.tsx'
import { When } from '../../ui/when.tsx'
import classes from './alerts.module.css'
import { AlertName, asFigure, byWeight, FiguresLink, SeverityState } from './parts.tsx'
import { SilenceForm } from './silence-form.tsx'

interface FiringProps {
  readonly alerts: readonly Alert[]
  readonly environment: string
}

/** Alerts of one service stand together: they are mostly one trouble. */
export const Firing = ({ alerts, environment }: FiringProps) => {
  const groups = [...Map.groupBy([...alerts].sort(byWeight), ({ service }) => service)]
  return (
    <div className={classes.groups}>
      {groups.map(([service, members]) => (
        <Group key={service} service={service} members={members} environment={environment} />
      ))}
    </div>
  )
}

/** Of one service so many are shown at first. */
const SHOWN = 8

const Group = (props: { service: string; members: readonly Alert[]; environment: string }) => {
  const { service, members, environment } = props
  const [all, setAll] = useState(false)
  const shown = all ? members : members.slice(0, SHOWN)
  return (
    <section className={classes.group} aria-label={`Alerts of ${service} that are firing`}>
      <h3 className={classes.service}>
        <Link to="/e/$environment/s/$service" params={{ environment, service }}>
          {service}
        </Link>
        {members.length > 1 && <span className={classes.count}>{members.length} alerts</span>}
      </h3>
      <ul className={classes.list}>
        {shown.map((alert) => (
          <Item key={alert.id} alert={alert} environment={environment} />
        ))}
      </ul>
      {shown.length < members.length && (
        <Button size="xs" variant="default" mt="xs" onClick={() => setAll(true)}>
          Show all {members.length}
        </Button>
      )}
    </section>
  )
}

const Item = ({ alert, environment }: { alert: Alert; environment: string }) => {
  const { canEdit } = useRole()
  return (
    <li className={classes.item} data-severity={alert.severity}>
      <div className={classes.what}>
        <SeverityState severity={alert.severity} />
        {alert.silenced && (
          <State tone="dim" icon={<IconBellOff size={15} />} title="Nobody new is told of it">
            Silenced
          </State>
        )}
        <span>
          <AlertName alert={alert} />
        </span>
      </div>
      <p className={classes.why}>{alert.summary}</p>
      <div className={classes.foot}>
        <span className={classes.when}>
          raised <When time={alert.raisedAt} />
          {alert.worst > alert.value && <>; worst {asFigure(alert, alert.worst)}</>}
        </span>
        <Row gap={6}>
          <span className={classes.link}>
            <FiguresLink alert={alert} environment={environment}>
              Figures
            </FiguresLink>
          </span>
          <Button
            size="compact-xs"
            variant="default"
            renderRoot={(props) => (
              <Link
                to="/e/$environment/alerts"
                params={{ environment }}
                search={(before) => ({ ...before, runbook: alert.rule })}
                {...props}
              />
            )}
          >
            Runbook
          </Button>
          {canEdit && !alert.silenced && <SilenceIt alert={alert} environment={environment} />}
        </Row>
      </div>
    </li>
  )
}

const SilenceIt = ({ alert, environment }: { alert: Alert; environment: string }) => {
  const [opened, modal] = useDisclosure(false)
  const { title } = ALERT_TEXTS[alert.rule]
  return (
    <>
      <Button
        size="compact-xs"
        variant="default"
        aria-label={`Silence ${title} of ${alert.service}`}
        onClick={modal.open}
      >
        Silence
      </Button>
      <Modal opened={opened} onClose={modal.close} title={`Silence ${title} of ${alert.service}`}>
        <SilenceForm
          environment={environment}
          matchers={{ services: [alert.service], rules: [alert.rule], severities: [] }}
          onDone={modal.close}
        />
      </Modal>
    </>
  )
}
