/** The short names by which the app cites papers. */
export const CITED_PAPERS = {
  ToN: '“Congestion Control for Web Real-Time Communication”, 2017',
  CMP: '“Congestion Control for Real-time Communications: a comparison between NADA and GCC”, 2016',
  LCC: '“Learning-based Congestion Control for Internet Video Communication over Wireless Networks”, 2018',
  AQM: '“Controlling Queuing Delays for Real-Time Communication”, 2016',
  GRP: '“Making Google Congestion Control Robust over Wi-Fi Networks Using Packet Grouping”, 2016',
} as const;
export type CitedPaper = keyof typeof CITED_PAPERS;

/** A text that gives the full title of each of `papers`, after its short name. */
export const namedPapers = (papers: readonly CitedPaper[]): string =>
  papers.map((paper) => `${paper}: ${CITED_PAPERS[paper]}.`).join(' ');
