import { Kbd, Modal } from '@mantine/core'
import classes from './help.module.css'

type Key = readonly [keys: readonly string[], what: string]

const GROUPS: readonly (readonly [title: string, keys: readonly Key[]])[] = [
  [
    'Anywhere',
    [
      [['Ctrl K', '/'], 'Go to a service, gate, dependency, tenant or page'],
      [['g o'], 'Overview'],
      [['g a'], 'Agents'],
      [['g l'], 'Alerts'],
      [['u'], 'Switch between local time and UTC'],
      [['?'], 'This list'],
    ],
  ],
  [
    'On a chart, reached by Tab',
    [
      [['←', '→'], 'Move the cursor by one point, with Shift by ten'],
      [['Home', 'End'], 'To the beginning, to the end'],
      [['Enter'], 'Why was work refused at that moment'],
      [['Esc'], 'Take the cursor away'],
    ],
  ],
]

const Help = ({ onClose }: { onClose: () => void }) => (
  <Modal opened onClose={onClose} title="Keyboard shortcuts" size={500}>
    {GROUPS.map(([title, keys]) => (
      <section key={title} className={classes.group}>
        <h3 className={classes.title}>{title}</h3>
        <dl className={classes.keys}>
          {keys.map(([ways, what]) => (
            <div key={what}>
              <dt>{what}</dt>
              <dd>
                {ways.map((way) => (
                  <span key={way} className={classes.way}>
                    {way.split(' ').map((key) => (
                      <Kbd key={key} size="xs">
                        {key}
                      </Kbd>
                    ))}
                  </span>
                ))}
              </dd>
            </div>
          ))}
        </dl>
      </section>
    ))}
  </Modal>
)

export default Help
