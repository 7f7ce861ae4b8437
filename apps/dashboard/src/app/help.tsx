import { Kbd, Modal, Table } from '@mantine/core'

const KEYS: readonly (readonly [keys: readonly string[], what: string])[] = [
  [['Ctrl', 'K'], 'Go to a service, gate, tenant or page'],
  [['/'], 'The same'],
  [['g', 'o'], 'Overview'],
  [['g', 'a'], 'Agents'],
  [['g', 'l'], 'Alerts'],
  [['u'], 'Switch between local time and UTC'],
  [['Tab'], 'To a chart, then:'],
  [['←', '→'], 'Move the cursor by one point; with Shift by ten'],
  [['Home', 'End'], 'To the beginning, to the end'],
  [['Enter'], 'Why was work refused at that moment'],
  [['?'], 'This list'],
]

const Help = ({ onClose }: { onClose: () => void }) => (
  <Modal opened onClose={onClose} title="Keyboard shortcuts">
    <Table>
      <Table.Tbody>
        {KEYS.map(([keys, what]) => (
          <Table.Tr key={what}>
            <Table.Td w={120}>
              {keys.map((key) => (
                <Kbd key={key} mr={4}>
                  {key}
                </Kbd>
              ))}
            </Table.Td>
            <Table.Td>{what}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  </Modal>
)

export default Help
