import { Drawer } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { AlertRuleName } from '@weir/api'
import { ALERT_TEXTS } from '@weir/api/alert-texts'
import classes from './alerts.module.css'

const isRule = (name: string | undefined): name is AlertRuleName =>
  name !== undefined && Object.hasOwn(ALERT_TEXTS, name)

/** What to do about an alert, beside the list; the URL says which, so that messages can link to it. */
export const RunbookDrawer = ({ environment }: { environment: string }) => {
  const { runbook } = useSearch({ from: '/app/e/$environment/alerts' })
  const navigate = useNavigate()
  const close = () =>
    void navigate({
      to: '/e/$environment/alerts',
      params: { environment },
      search: ({ tab }) => (tab === undefined ? {} : { tab }),
    })
  const text = isRule(runbook) ? ALERT_TEXTS[runbook] : null
  return (
    <Drawer
      opened={text !== null}
      onClose={close}
      position="right"
      size="md"
      title={text === null ? '' : `Runbook: ${text.title}`}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {text !== null && (
        <div className={classes.runbook}>
          <p style={{ marginTop: 0 }}>{text.when}</p>
          <h3>What it means</h3>
          <p style={{ margin: 0 }}>{text.runbook.means}</p>
          <h3>Look at</h3>
          <ul>
            {text.runbook.look.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
          <h3>Then</h3>
          <ul>
            {text.runbook.act.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        </div>
      )}
    </Drawer>
  )
}
