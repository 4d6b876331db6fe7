/**
 * Colours of the charts. They are based on the palette of Okabe and Ito, which suits the common kinds of
 * colour blindness. The colours are lightened or darkened for contrast with the background. Many series also
 * differ by dash, width or marker.
 */
export type ColourName = 'blue' | 'orange' | 'green' | 'red' | 'purple' | 'sky' | 'grey' | 'ink';

export interface ChartTheme {
  background: string;
  grid: string;
  text: string;
  colours: Readonly<Record<ColourName, string>>;
}

export const lightTheme: ChartTheme = {
  background: '#ffffff',
  grid: '#e3e6ea',
  text: '#56606b',
  colours: {
    blue: '#0072b2',
    orange: '#b87700',
    green: '#00805e',
    red: '#c04a00',
    purple: '#a8487e',
    sky: '#3a8fc4',
    grey: '#8a939c',
    ink: '#1d242b',
  },
};

export const darkTheme: ChartTheme = {
  background: '#14191f',
  grid: '#28313a',
  text: '#9aa7b3',
  colours: {
    blue: '#4aa3e0',
    orange: '#e69f00',
    green: '#2fc49a',
    red: '#f0753a',
    purple: '#d98bb8',
    sky: '#8fd0f5',
    grey: '#7c8894',
    ink: '#eef2f5',
  },
};
